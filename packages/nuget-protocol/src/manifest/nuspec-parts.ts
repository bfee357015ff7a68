export type License = { readonly type: "expression" | "file"; readonly text: string };

export type PackageType = { readonly name: string; readonly version?: string | undefined };

export type RepositoryMetadata = {
  readonly type?: string | undefined;
  readonly url?: string | undefined;
  readonly branch?: string | undefined;
  readonly commit?: string | undefined;
};

/** Without a framework it is for any. */
export type DependencyGroup = {
  readonly targetFramework?: string | undefined;
  readonly dependencies: readonly Dependency[];
};

/** `range` in the form of registration documents: `[1.0.0, )`. */
export type Dependency = { readonly id: string; readonly range: string };
