import type { NameLimit } from "../search/ports.ts";

/** Who uses a package, of those that are here. */
export interface NpmDependents {
  /** Packages whose `latest` depends on `name`, in any way but for development; by name. Letter
   * case does not count. Packages outside of the limit are as if they did not exist. */
  dependents(
    name: string,
    page: NameLimit & { readonly from: number; readonly size: number },
  ): Promise<{ readonly total: number; readonly names: readonly string[] }>;
}
