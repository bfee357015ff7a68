import type { Caller } from "@sealhouse/request-types";

/** An owner in the metadata of a package. The rights of a caller depend on the token alone. */
export type Maintainer = { readonly name: string; readonly email?: string };

/** `restricted`: a private package, which only its owners and members of owning teams see. */
export type PackageAccess = "public" | "restricted";

/** Who a package belongs to, as people see it. Each change and its event are one transaction. */
export interface NpmOwners {
  /** `changed`: the package has another revision by now, and nothing happened. */
  setMaintainers(
    name: string,
    change: { readonly maintainers: readonly Maintainer[]; readonly revision: number },
    caller: Caller,
  ): Promise<"set" | "absent" | "changed">;

  /** Makes a package private, or public again. */
  setAccess(name: string, access: PackageAccess, caller: Caller): Promise<"set" | "absent">;

  /** Whether only owners see the package. */
  isPrivate(name: string): Promise<boolean>;

  /** Packages of a scope (`@acme`), or packages with the given maintainer; sorted by name. */
  packages(
    of: { readonly scope: string } | { readonly maintainer: string },
  ): Promise<readonly OwnedPackage[]>;
}

/** A package with its maintainers. */
export type OwnedPackage = { readonly name: string; readonly maintainers: readonly Maintainer[] };
