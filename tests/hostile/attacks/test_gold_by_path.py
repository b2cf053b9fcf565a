"""A law that knows where gold lies and reads it: through Python, every reader of the allowed packages, C.

Imitates the submissions of pitfall "np.genfromtxt(path) is no import": readers hidden in numpy, scipy, pandas, sklearn.
"""

from __future__ import annotations

import re
from typing import ClassVar

import pytest
from attack_kit import NO_CALL, NO_FILE, NOT_ALLOWED, NOTHING, Attack, AttackTests, run

from scilaws_bench.sandbox import Sandbox


def read(code: str) -> Attack:
    """An attack that opens a path for reading: absent at full, refused by Landlock at kernel."""
    return Attack(code, NO_FILE, NOT_ALLOWED)


class TestReaders(AttackTests):
    attacks: ClassVar[dict[str, Attack]] = {
        "open": read("return open('GOLD.csv').read()"),
        "open in the checkout": read("return open('CHECKOUT_FILE').read()"),
        "open at home": read("return open('HOME_FILE').read()"),
        "os.open": read("return os.read(os.open('GOLD.csv', os.O_RDONLY), 99)"),
        "codecs.open": read("import codecs\nreturn codecs.open('GOLD.csv').read()"),
        "fileinput": read("import fileinput\nreturn list(fileinput.input('GOLD.csv'))"),
        "runpy": read("import runpy\nreturn runpy.run_path('GOLD.py')['TARGET'] == SENTINEL"),
        "import machinery": read(
            "import importlib.machinery as m\nreturn m.SourceFileLoader('gold', 'GOLD.py').load_module().TARGET"
        ),
        "linecache": Attack("import linecache\nreturn linecache.getlines('GOLD.csv')", NOTHING),
        "gzip": read("import gzip\nreturn gzip.open('GOLD.csv.gz').read()"),
        "zipfile": read("import zipfile\nreturn zipfile.ZipFile('GOLD.npz').namelist()"),
        "tokenize": read("import tokenize\nreturn tokenize.open('GOLD.py').read()"),
        "np.load": read("return np.load('GOLD.npy')[0] == SENTINEL"),
        "np.load of an archive": read("return np.load('GOLD.npz')['target'][0] == SENTINEL"),
        "np.load of a pickle": read("return np.load('GOLD.pkl', allow_pickle=True)[0] == SENTINEL"),
        "np.fromfile": read("return np.fromfile('GOLD.bin')[0] == SENTINEL"),
        "np.memmap": read("return np.memmap('GOLD.bin', float, 'r')[0] == SENTINEL"),
        "np.loadtxt": read("return np.loadtxt('GOLD.csv')[0] == SENTINEL"),
        "np.genfromtxt": read("return np.genfromtxt('GOLD.csv')[0] == SENTINEL"),
        "pickle": read("import pickle\nreturn pickle.load(open('GOLD.pkl', 'rb'))[0] == SENTINEL"),
        "pandas csv": read("import pandas\nreturn len(pandas.read_csv('GOLD.csv'))"),
        "pandas json": read("import pandas\nreturn len(pandas.read_json('GOLD.json'))"),
        "pandas pickle": read("import pandas\nreturn pandas.read_pickle('GOLD.pandas')[0] == SENTINEL"),
        "pandas' own os": read("from pandas.io.common import os as own\nreturn own.listdir('FOLDER')"),
        "scipy matlab": read("from scipy import io\nreturn io.loadmat('GOLD.mat')['target'][0, 0] == SENTINEL"),
        "scipy matrix market": Attack(  # its reader in C++ takes a file it may not open for an empty one
            "from scipy import io\nreturn io.mmread('GOLD.mtx')[0, 0] == SENTINEL", NO_FILE, "Missing banner"
        ),
        "scipy wav": read("from scipy.io import wavfile\nreturn wavfile.read('GOLD.wav')[1][0] == SENTINEL"),
        "scipy netcdf": read(
            "from scipy import io\nreturn io.netcdf_file('GOLD.nc', mmap=False).variables['target'][0] == SENTINEL"
        ),
        "joblib": read("import joblib\nreturn joblib.load('GOLD.pkl')[0] == SENTINEL"),
        "svmlight": read(
            "from sklearn.datasets import load_svmlight_file as f\nreturn f('GOLD.svm')[1][0] == SENTINEL"
        ),
        "libc open": read("return check(libc.open(b'GOLD.csv', 0))"),
        "libc fopen": read("libc.fopen.restype = ctypes.c_void_p\nreturn libc.fopen(b'GOLD.csv', b'r') or check(-1)"),
        "a path only opened (O_PATH)": Attack(  # gives no access, and what it could be used for is refused
            "handle = os.open('GOLD.csv', os.O_PATH)\nreturn open(f'/proc/self/fd/{handle}').read()",
            NO_FILE,
            NOT_ALLOWED,
        ),
        "through a folder's descriptor": read(
            "f = os.open('FOLDER', os.O_PATH)\nreturn os.open('gold.csv', 0, dir_fd=f)"
        ),
        "through /proc/self/root": read("return open('/proc/self/root' + 'GOLD.csv').read()"),
        "through /proc of the host": read("return open('/proc/OTHER_PID/root' + 'GOLD.csv').read()"),
        "climbing out of the working folder": read("return open('../' * 20 + 'GOLD.csv'[1:]).read()"),
        "by handle": Attack(
            "buffer = ctypes.create_string_buffer(b'\\x80\\0\\0\\0' + bytes(200))\n"
            "return check(libc.name_to_handle_at(-100, b'FOLDER', buffer, ctypes.byref(ctypes.c_int()), 0))",
            NO_CALL,
        ),
        "list the folder": read("return os.listdir('FOLDER')"),
        "glob": Attack("return glob.glob('FOLDER/*')", NOTHING),
        "walk": Attack("return [f for _, _, names in os.walk('FOLDER') for f in names]", NOTHING),
        "list home": Attack(  # there at full too if the interpreter lies below it
            "return os.listdir(os.path.dirname('HOME_FILE'))", f"{NO_FILE}|{NOT_ALLOWED}"
        ),
        "list the checkout": read("return os.listdir('REPOSITORY')"),
        "list the root": Attack("return os.listdir('/')", NOT_ALLOWED),
        "/etc/passwd": read("return open('/etc/passwd').read()"),
        "installed packages": read("return os.listdir('SITE_PACKAGES')"),
        "the interpreter's packages": Attack("return os.listdir('INTERPRETER_SITE')", NOT_ALLOWED),
        "the kernel's own files": read("return os.listdir('/sys/kernel')"),
        "the kernel's log": Attack("return check(libc.klogctl(3, ctypes.create_string_buffer(99), 99))", NO_CALL),
    }


@pytest.mark.parametrize(
    "call", ["os.stat('GOLD.csv').st_size", "os.access('GOLD.csv', 4)", "os.path.exists('GOLD.csv')"]
)
def test_what_can_be_learnt_about_a_path(sandbox: Sandbox, targets: dict[str, str], call: str) -> None:
    """Landlock rules over content, not over names: at kernel a law can tell that a file is there, and how large."""
    result = run(sandbox, Attack(f"return {call}", "").law(targets))
    assert result.ok == (sandbox.level == "kernel"), result.error
    assert result.ok or re.search(f"{NO_FILE}|{NOTHING}", result.error)


class TestChanges(AttackTests):
    """What a law would have to do to leave something behind, or to spoil what is there."""

    attacks: ClassVar[dict[str, Attack]] = {
        "write": Attack("return open('FOLDER/new', 'w').write('x')", NO_CALL),
        "append to gold": Attack("open('GOLD.csv', 'a').close()\nreturn True", NO_CALL),
        "write to gold through C": Attack("return check(libc.open(b'GOLD.csv', 2))", NO_CALL),
        "write below /tmp": Attack("open('/tmp/attack_left_behind', 'w').close()\nreturn True", NO_CALL),
        "write in the working folder": Attack("open('left_behind', 'w').close()\nreturn True", NO_CALL),
        "a temporary file": Attack("import tempfile\nreturn tempfile.TemporaryFile(dir='/tmp')", NO_CALL),
        "np.save": Attack(
            "np.save('FOLDER/saved.npy', X)\nreturn True",
            NO_CALL,
            unprotected="the size limit of files holds there too",
        ),
        "a memory map to write": Attack(
            "return np.memmap('FOLDER/map', float, 'w+', shape=3) is not None",
            NO_CALL,
            unprotected="the size limit of files holds there too",
        ),
        "a link to gold": Attack("os.symlink('GOLD.csv', 'link')\nreturn open('link').read()", NO_CALL),
        "a hard link": Attack("os.link('GOLD.csv', 'FOLDER/hard')\nreturn True", NO_CALL),
        "a folder": Attack("os.mkdir('FOLDER/made')\nreturn True", NO_CALL),
        "rename": Attack(
            "os.rename('GOLD.svm', 'FOLDER/renamed')\nreturn True", NO_CALL, unprotected="spoils the gold"
        ),
        "delete": Attack("os.unlink('GOLD.csv')\nreturn True", NO_CALL, unprotected="spoils the gold"),
        "overwrite": Attack("open('GOLD.csv', 'w').close()\nreturn True", NO_CALL, unprotected="spoils the gold"),
        "truncate": Attack("os.truncate('GOLD.csv', 0)\nreturn True", NO_CALL, unprotected="spoils the gold"),
        "change the mode": Attack("os.chmod('FOLDER', 0o700)\nreturn True", NO_CALL),
        "change the times": Attack("os.utime('GOLD.csv')\nreturn True", NO_CALL),
        "an attribute": Attack(
            "os.setxattr('GOLD.csv', 'user.x', b'x')\nreturn True", NO_CALL, unprotected="not on tmpfs"
        ),
        "change the working folder": Attack("os.chdir('/')\nreturn True", NO_CALL),
        "a pipe by name": Attack("os.mkfifo('FOLDER/pipe')\nreturn True", NO_CALL),
    }
