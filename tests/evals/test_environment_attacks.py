"""What an agent with bash and Python tries in `sandbox="scilaws"`: each attempt fails, for the reason it should."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from environment_kit import Shared, bash, opened, shared_sandbox, skip_without_sandbox, with_fresh_sandbox

import scilaws_bench
import scilaws_builders
from scilaws_evals.agent_sandbox import layout, machine, readiness, system_calls
from scilaws_evals.environment import ScilawsSandbox

SECRET = "a-held-out-target-of-the-host"

shared = shared_sandbox


@pytest.fixture(autouse=True)
def _ready() -> None:
    skip_without_sandbox()


def _python(script: str) -> str:
    return f"python3 -c 'import socket, threading, time\n{script}'"


@pytest.fixture
def gold() -> Iterator[Path]:
    """A readable file of the host; not below /tmp, where the sandbox has a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="scilaws-test-", dir="/var/tmp") as folder:
        path = Path(folder) / "gold.json"
        path.write_text(SECRET)
        yield path


@pytest.mark.parametrize(
    "reader",
    [
        "cat {0}",
        "cat ../../../../../..{0}",
        "cat /proc/1/root{0} /proc/self/root{0}",
        "cd /proc/1/cwd; cat ./{0}",
        'python3 -c \'import numpy; print(numpy.fromfile("{0}", dtype="S1").tobytes())\'',
        "ln -s {0} link; cat link; cp link copy; cat copy",
        "ln {0} hard; cat hard",
        "tar cf - {0} | cat",
        "exec 9< {0}; cat <&9",
    ],
)
def test_gold_by_path(shared: Shared, reader: str, gold: Path) -> None:
    result = shared.shell(reader.format(gold))
    assert SECRET not in result.stdout + result.stderr
    assert "No such file" in result.stderr or "Permission denied" in result.stderr
    local = subprocess.run(["cat", gold], capture_output=True, text=True)
    assert local.stdout == SECRET  # the control


def test_nothing_of_the_project_is_visible(shared: Shared) -> None:
    places = [Path(module.__file__ or "").parent for module in (scilaws_bench, scilaws_builders)]
    places += [Path.home() / ".cache", Path("/home"), Path(sys.prefix), Path("/usr/share"), Path("/usr/lib/R")]
    listing = shared.shell(f"ls -d {' '.join(map(str, places))}; ls -A /etc")
    assert listing.stdout.split() == ["group", "hosts", "os-release", "passwd"]
    for place in places:
        assert f"{place}': No such file" in listing.stderr
    assert all(place.is_dir() for place in places[:2])  # the control


def test_only_allow_list_packages_import(shared: Shared) -> None:
    names = "scilaws_bench scilaws_builders scilaws_evals statsmodels datasets inspect_ai pyarrow cryptography pip"
    script = "\n".join(
        [
            "import importlib.util, numpy, scipy.stats, pandas, sklearn.linear_model",
            f"print([name for name in '{names}'.split() if importlib.util.find_spec(name)])",
            "import sklearn.datasets, pathlib",
            "print(list(pathlib.Path(sklearn.datasets.__file__).parent.rglob('*.csv*')))",
        ]
    )
    assert shared.shell(f"python3 - <<'END'\n{script}\nEND", 120).stdout == "[]\n[]\n"


def test_no_folder_of_this_machine_is_visible_as_a_whole(shared: Shared) -> None:
    """What is mounted: single files, the interpreter's standard library, the two folders of the sandbox itself."""
    setup = readiness.require_ready()
    allowed = {*setup.view.modules, Path("/sandbox/packages"), Path("/sandbox/keeper/_inside"), Path("/etc")}
    script = "cut -d' ' -f5 /proc/self/mountinfo | while read p; do [ -d $p ] && echo $p; done"
    seen = {Path(line) for line in shared.shell(script).stdout.split()}
    own = {Path(place) for place in ("/", "/proc", "/sandbox/work", "/tmp", "/dev/shm")}
    covered = {path for path in seen if path.is_relative_to("/proc")}  # bwrap's read-only covers
    assert seen - own - covered - set(setup.view.masked()) == allowed


def test_environment_of_the_host(shared: Shared, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCILAWS_TEST_API_KEY", SECRET)
    script = "env; cat /proc/*/environ | tr '\\0' '\\n'; tr '\\0' '\\n' < /proc/1/environ; cat /proc/*/cmdline"
    result = shared.shell(script)
    assert SECRET not in result.stdout
    assert "/proc/1/environ: Permission denied" in result.stderr
    names = {line.split("=")[0] for line in shared.shell("env").stdout.splitlines()}
    own = layout.environment(readiness.require_ready().view, readiness.require_ready().programs)
    assert names - set(own) <= {"PWD", "SHLVL", "_"}


def test_the_sandbox_itself_starts_without_the_environment_of_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even the processes that no command can look into: bwrap and the keeper."""
    monkeypatch.setenv("SCILAWS_TEST_API_KEY", SECRET)

    async def use(sandbox: ScilawsSandbox) -> None:
        environment = Path(f"/proc/{sandbox._machine._process.pid}/environ").read_text()
        assert "PYTHONPATH=/sandbox/packages" in environment
        assert SECRET not in environment

    with_fresh_sandbox(use)


def test_only_what_is_passed_is_added_to_the_environment(shared: Shared) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        assert (await sandbox.exec(["printenv", "GIVEN"], env={"GIVEN": "yes"})).stdout == "yes\n"
        assert (await sandbox.exec(["printenv", "GIVEN"])).returncode == 1

    shared.run(use)


def test_no_capability_no_new_privilege_and_a_filter(shared: Shared) -> None:
    status = shared.shell("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status").stdout.split()
    found = dict(zip(status[::2], status[1::2], strict=True))
    assert {found[name] for name in found if name.startswith("Cap")} == {"0" * 16}
    assert (found["NoNewPrivs:"], found["Seccomp:"]) == ("1", "2")


def test_what_the_kernel_tells_about_the_host_is_hidden(shared: Shared) -> None:
    assert shared.shell("cat /proc/keys /proc/key-users /proc/cmdline /proc/modules /proc/kallsyms").stdout == ""
    assert Path("/proc/key-users").read_text() != ""  # the control


def test_only_the_three_streams_are_inherited(shared: Shared) -> None:
    script = 'import os\nprint(sorted(map(int, os.listdir("/proc/self/fd")))[:-1])'
    assert shared.shell(f"exec python3 -c '{script}'").stdout == "[0, 1, 2]\n"


def test_the_keeper_is_out_of_reach(shared: Shared) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        script = (
            "for s in KILL STOP INT TERM HUP SEGV; do kill -$s 1; done; cat /proc/1/mem /proc/1/maps; "
            "ls -l /proc/1/fd/0 /proc/1/exe; echo forged > /proc/1/fd/1; cat /proc/1/fd/0; kill -9 $$"
        )
        result = await bash(sandbox, script)
        assert result.returncode == 137  # the last word kills the shell itself
        assert result.stderr.count("Permission denied") >= 5
        assert (await bash(sandbox, "echo still here")).stdout == "still here\n"

    shared.run(use)


@pytest.fixture
def listening() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_network(shared: Shared, listening: int) -> None:
    with socket.create_connection(("127.0.0.1", listening), timeout=5):
        pass  # the control
    families = {"inet": 2, "inet6": 10, "netlink": 16, "packet": 17, "alg": 38, "vsock": 40}
    script = "import socket\n" + "\n".join(
        f"try: socket.socket({number}, socket.SOCK_DGRAM if {number} in (16, 17) else 1); print('OPENED {name}')\n"
        f"except OSError as error: print(error.errno)"
        for name, number in families.items()
    )
    result = shared.shell(f"echo > /dev/tcp/127.0.0.1/{listening}\npython3 - <<END\n{script}\nEND")
    assert "Operation not permitted" in result.stderr
    assert result.stdout.split() == [str(errno.EPERM)] * len(families)
    interfaces = shared.shell("cat /proc/net/dev").stdout.splitlines()[2:]
    assert [line.split(":")[0].strip() for line in interfaces] == ["lo"]


def test_local_sockets_of_the_host(shared: Shared) -> None:
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        name = f"\0scilaws-test-{os.getpid()}"
        server.bind(name)
        server.listen()
        client.connect(name)  # the control
        script = f"import socket; socket.socket(socket.AF_UNIX).connect({name!r})"
        assert "ConnectionRefusedError" in shared.shell(f'python3 -c "{script}"').stderr


def test_writing_outside(shared: Shared) -> None:
    places = "/x /usr/bin/ls /usr/bin/x /etc/passwd /etc/x /proc/sys/kernel/core_pattern /proc/self/oom_score_adj"
    places += " /dev/x /sandbox/x /sandbox/packages/numpy/__init__.py /sandbox/keeper/_inside/keeper.py"
    result = shared.shell(f"for p in {places}; do echo x > $p; done")
    refused = [line.split(": ")[-2:] for line in result.stderr.splitlines()]
    assert refused == [[place, "Read-only file system"] for place in places.split()]
    shared.shell("rm -rf /usr /sandbox /etc /bin")
    assert shared.shell("ls /usr/bin/ls /etc/passwd /sandbox/packages/numpy/__init__.py").returncode == 0


def test_links_out_of_the_folders_are_not_followed_by_the_host(shared: Shared, gold: Path) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        links = {
            "gold": str(gold),
            "up": f"../../../../..{gold}",
            "folder": str(gold.parent),
            "passwd": "/etc/passwd",
            "program": "/usr/bin/bash",
            "keeper": "/proc/1/environ",
            "control": "/proc/self/fd/0",
            "memory": "/proc/self/mem",
            "loop": "loop",
        }
        for name, target in links.items():
            await bash(sandbox, f"ln -s {target} {name}")
        refused = {"passwd", "program", "keeper", "memory"}
        for name in links:
            expected = PermissionError if name in refused else FileNotFoundError
            with pytest.raises(expected, match=name):
                await sandbox.read_file(f"folder/{gold.name}" if name == "folder" else name)
            if name in refused:
                with pytest.raises(PermissionError, match="outside /sandbox/work and /tmp"):
                    await sandbox.write_file(name, "overwritten")
        for path in (str(gold), f"../..{gold}", f"/sandbox/work/../..{gold}", f"/proc/self/root{gold}"):
            with pytest.raises(FileNotFoundError):
                await sandbox.read_file(path)
            with pytest.raises(PermissionError, match="outside /sandbox/work and /tmp"):
                await sandbox.write_file(path, "overwritten")
        for path in ("/etc/passwd", "../etc/passwd", "/tmp/../etc/passwd", "/workshop", "/dev/null", "/dev/shm/x"):
            with pytest.raises(PermissionError, match="outside /sandbox/work and /tmp"):
                await sandbox.write_file(path, "x")
        assert (await bash(sandbox, "head -c 4 /etc/passwd")).stdout == "root"

    shared.run(use)
    assert gold.read_text() == SECRET


def test_special_files_neither_block_nor_pass(shared: Shared) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        await bash(sandbox, "mkfifo pipe; mkdir folder; truncate -s 10G sparse; touch none; chmod 0 none; : > flat")
        with anyio.fail_after(20):
            for path in ("pipe", "none"):
                with pytest.raises(PermissionError, match=path):
                    await sandbox.read_file(path)
                with pytest.raises(PermissionError, match=path):
                    await sandbox.write_file(path, "x")
            with pytest.raises(IsADirectoryError):
                await sandbox.read_file("folder")
            with pytest.raises(IsADirectoryError):
                await sandbox.write_file("folder", "x")
            for path in ("flat/below", "x" * 300, "a\0b"):
                with pytest.raises(FileNotFoundError):
                    await sandbox.read_file(path)

    shared.run(use)


@pytest.mark.parametrize("folder", ["../../../../..", "/", "/proc/1/cwd", "/root", "link"])
def test_working_folders_are_those_of_the_sandbox(shared: Shared, folder: str, gold: Path) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        await bash(sandbox, f"ln -s {gold.parent} link")
        result = await sandbox.exec(["bash", "-c", f"cat .{gold} {gold.name}"], cwd=folder)
        assert SECRET not in result.stdout
        assert not result.success

    shared.run(use)


@pytest.mark.parametrize(
    ("limit", "most", "bomb"),
    [
        ("processes", 64, ":(){ :|:& };:; sleep 60"),
        ("processes", 64, "while :; do setsid sleep 60 & done"),
        ("processes", 64, _python("while 1: threading.Thread(target=time.sleep, args=[60]).start()")),
        ("memory", 200 << 20, f"for i in 1 2 3; do {_python('x = bytearray(90 << 20); time.sleep(60)')} & done; wait"),
        ("files", 500, "i=0; while :; do : > f$((i++)); done"),
        ("sockets", 64, _python("x = [socket.socketpair() for _ in range(100)]; time.sleep(60)")),
    ],
)
def test_bombs_are_ended_and_the_sandbox_lives(
    shared: Shared, limit: str, most: int, bomb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        with monkeypatch.context() as patch:
            patch.setitem(machine.LIMITS, limit, most)
            result = await bash(sandbox, bomb, timeout=25)
        refused_by_the_kernel = (
            "Resource temporarily unavailable" in result.stderr or "start new thread" in result.stderr
        )
        assert "[killed by the sandbox: more than" in result.stderr or refused_by_the_kernel
        assert result.returncode in ({137} if not refused_by_the_kernel else {0, 1, 137, 254})
        after = await bash(sandbox, "rm -f f*; ps -e --no-headers | wc -l")
        assert int(after.stdout) <= 4  # the keeper, bash, ps, wc

    shared.run(use)


def test_memory_of_one_process(shared: Shared) -> None:
    assert shared.shell("python3 -c 'x = bytearray(5 << 30)'").stderr.endswith("MemoryError\n")


def test_memory_that_belongs_to_no_process(shared: Shared) -> None:
    """System V segments and memory files would outlive their process and be counted nowhere."""
    script = 'import os\ntry: os.memfd_create("x")\nexcept PermissionError: print("refused")'
    assert shared.shell(f"python3 -c '{script}'").stdout == "refused\n"
    os.close(os.memfd_create("control"))


def test_disk_bombs(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("WORK_BYTES", "TEMPORARY_BYTES", "_SHARED_BYTES"):
        monkeypatch.setattr(layout, name, 2 << 20)

    async def use(sandbox: ScilawsSandbox) -> None:
        for folder in ("/sandbox/work", "/tmp", "/dev/shm"):
            result = await bash(sandbox, f"head -c 5M /dev/zero > {folder}/a; stat -c %s {folder}/a")
            assert (result.stdout, "No space left" in result.stderr) == (f"{2 << 20}\n", True)
        with pytest.raises(OSError, match="No space left on device: 'more'"):
            await sandbox.write_file("more", "x" * 4096)
        with pytest.raises(OSError, match="larger than the folder's"):
            await sandbox.write_file("more", "x" * (3 << 20))
        assert (await bash(sandbox, "rm /sandbox/work/*; echo fine > f; cat f")).stdout == "fine\n"

    with_fresh_sandbox(use)


def test_an_output_pipe_hidden_in_a_socket_does_not_hang(shared: Shared) -> None:
    script = """
import array, os, socket
a, b = socket.socketpair()
a.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [1, 2, a.fileno(), b.fileno()]))])
print("sent", flush=True)
os._exit(0)
"""
    assert shared.shell(f"python3 -c '{script}'", timeout=20).stdout == "sent\n"


@pytest.mark.parametrize("command", ["sleep 60 <&- >&- 2>&-", "cat > /dev/null; sleep 60", "kill -STOP $$"])
def test_silent_and_stopped_commands_end_at_the_limit(shared: Shared, command: str) -> None:
    with pytest.raises(TimeoutError, match="limit of 1 s"):
        shared.shell(command, timeout=1)


def test_two_samples_see_nothing_of_each_other() -> None:
    async def main() -> None:
        async with opened() as first, opened() as second:
            secret = "printf secret | tee /sandbox/work/mine /tmp/mine /dev/shm/mine"
            hold = (
                "import socket, time; s = socket.socket(socket.AF_UNIX); s.bind('\\0held'); s.listen(); time.sleep(1.5)"
            )
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(bash, first, f'{secret}; python3 -c "{hold}"')
                await anyio.sleep(0.7)
                connect = "import socket; socket.socket(socket.AF_UNIX).connect('\\0held')"
                looked = await bash(
                    second, f'ls -A /sandbox/work /tmp /dev/shm; ps -e --no-headers | wc -l; python3 -c "{connect}"'
                )
            assert sorted(looked.stdout.split()) == ["/dev/shm:", "/sandbox/work:", "/tmp:", "4"]
            assert "ConnectionRefusedError" in looked.stderr
            assert (await bash(first, "cat /sandbox/work/mine")).stdout == "secret"  # the control
            with pytest.raises(FileNotFoundError):
                await second.read_file("/tmp/mine")

    anyio.run(main)


_CALLER = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
for number, first in {calls}:
    result = libc.syscall(ctypes.c_long(number), ctypes.c_long(first), 0, 0, 0, 0, 0)
    print(errno.errorcode.get(ctypes.get_errno(), 0) if result == -1 else "DONE")
"""


def test_the_filter_refuses_every_call_it_names(shared: Shared) -> None:
    column = {"x86_64": 0, "aarch64": 1}[platform.machine()]
    numbers = [(numbers[column], 0) for numbers in system_calls.DENIED.values() if numbers[column] is not None]
    numbers += [(system_calls._CLONE[column], flag) for flag in (0x10000000, 0x20000, 0x40000000)]
    numbers += [(calls[column], 40) for calls in system_calls._SOCKET_CALLS]
    numbers.append((system_calls._CLONE3[column], 0))
    result = shared.shell(f"python3 - <<'END'\n{_CALLER.format(calls=numbers)}\nEND")
    assert result.stdout.split() == ["EPERM"] * (len(numbers) - 1) + ["ENOSYS"]


def test_the_kernel_would_answer_without_the_filter() -> None:
    """The control: outside, harmless calls of the list are not refused with EPERM."""
    libc = ctypes.CDLL(None, use_errno=True)
    column = {"x86_64": 0, "aarch64": 1}[platform.machine()]
    for name in ("semget", "memfd_create", "kcmp", "open_by_handle_at"):
        number = system_calls.DENIED[name][column]
        ctypes.set_errno(0)
        assert libc.syscall(ctypes.c_long(number or 0), -1, 0, 0, 0, 0) == -1
        assert ctypes.get_errno() != errno.EPERM, name


@pytest.mark.parametrize(("architecture", "column"), [("x86_64", 0), ("aarch64", 1)])
def test_the_filter_names_every_call_of_either_architecture(architecture: str, column: int) -> None:
    code = system_calls.build(architecture)
    steps = [code[start : start + 8] for start in range(0, len(code), 8)]
    for name, numbers in system_calls.DENIED.items():
        position = steps.index(system_calls._instruction(0x15, 0, 1, numbers[column]))
        assert steps[position + 1] == system_calls._refuse(), name
    assert steps[-1] == system_calls._instruction(0x06, 0, 0, 0x7FFF0000)


def test_start_up_files_of_the_agent_do_not_reach_the_keeper(shared: Shared) -> None:
    async def use(sandbox: ScilawsSandbox) -> None:
        await bash(sandbox, "echo 'raise SystemExit(3)' > sitecustomize.py; echo 'exit 3' > .bash_profile; mkdir json")
        assert (await bash(sandbox, "echo fine")).stdout == "fine\n"
        assert await sandbox.read_file(".bash_profile") == "exit 3\n"

    shared.run(use)
