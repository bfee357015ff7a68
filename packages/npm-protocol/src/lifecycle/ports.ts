import type { Caller } from "@sealhouse/request-types";

/** What becomes of versions after their publish. Each change and its events are one transaction. */
export interface NpmLifecycle {
  /**
   * Gives each of the versions its text, or none (undefined), and touches nothing else of them.
   * Versions that are not there are passed over. Gives those that changed, in order of publication;
   * undefined when there is no such package.
   */
  deprecate(
    name: string,
    texts: ReadonlyMap<string, string | undefined>,
    caller: Caller,
  ): Promise<readonly string[] | undefined>;

  /**
   * Takes versions away. Their numbers are not taken again, tags that point to them go, and
   * `latest` moves to the highest stable version that is left, or the highest of all. With the last
   * version the package goes, and for 24 hours nobody but `caller` may publish under its name.
   * `changed`: the package has another revision by now, and nothing happened. `absent`: there is no
   * such package, or none of the versions.
   */
  unpublish(
    name: string,
    wanted: { readonly versions: readonly string[] | "all"; readonly revision: number },
    caller: Caller,
  ): Promise<"deleted" | "absent" | "changed">;

  /** Bytes of all stored manifests of a package: about what its packument has. 0 without one. */
  manifestBytes(name: string): Promise<number>;
}

/** For so long the name of a package that was unpublished whole is kept for whoever did it. */
export const NAME_HOLD_MS = 24 * 60 * 60 * 1000;
