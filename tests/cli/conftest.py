"""Fixtures for bundles; see tests/bundle_kit.py."""

from bundle_kit import _scored, anchors, bundle, never_hang, scored_bundle, small_release

__all__ = ["_scored", "anchors", "bundle", "never_hang", "scored_bundle", "small_release"]
