import type { Caller } from "@sealhouse/request-types";

/** Changes to versions after their publish. Each change and its events are one transaction. */
export interface NpmLifecycle {
  /**
   * Sets or removes (undefined) the text of each version, and changes nothing else. Ignores absent
   * versions. Returns the changed versions in order of publication; undefined when the package does
   * not exist.
   */
  deprecate(
    name: string,
    texts: ReadonlyMap<string, string | undefined>,
    caller: Caller,
  ): Promise<readonly string[] | undefined>;

  /**
   * Deletes versions. Their numbers cannot be used again, tags that point to them are deleted, and
   * `latest` moves to the highest remaining stable version, or the highest of all. With the last
   * version the package is deleted, and for 24 hours only `caller` may publish under its name.
   * `changed`: the package has another revision by now, and nothing happened. `absent`: the
   * package, or all of the versions, do not exist.
   */
  unpublish(
    name: string,
    removal: { readonly versions: readonly string[] | "all"; readonly revision: number },
    caller: Caller,
  ): Promise<"deleted" | "absent" | "changed">;

  /** Bytes of all stored manifests of a package: about what its packument has. 0 without one. */
  manifestBytes(name: string): Promise<number>;
}

/**
 * Milliseconds for which the name of an unpublished package is reserved for its former publisher.
 */
export const NAME_HOLD_MS = 24 * 60 * 60 * 1000;
