/** Who uses a package, of those that are here. */
export interface NpmDependents {
  /** Packages whose `latest` depends on `name`, in any way but for development; by name. Letter
   * case does not count. */
  dependents(
    name: string,
    page: { readonly from: number; readonly size: number },
  ): Promise<{ readonly total: number; readonly names: readonly string[] }>;
}
