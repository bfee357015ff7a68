import type { Caller } from "@sealhouse/request-types";

/** An owner in the metadata of a package. The rights of a caller depend on the token alone. */
export type Maintainer = { readonly name: string; readonly email?: string };

/** `restricted`: a private package, which only its owners and members of owning teams see. */
export type PackageAccess = "public" | "restricted";

/** Who a package belongs to, as people see it. Each change and its event are one transaction. */
export interface NpmOwners {
  /**
   * `changed`: the package has another revision by now. `last`: no owner that may change owners
   * would be left. `full`: it would have too many owners. `stranger`: the package belongs to users
   * and teams, and a name is neither. In these cases nothing happened.
   */
  setMaintainers(
    name: string,
    change: { readonly maintainers: readonly Maintainer[]; readonly revision: number },
    caller: Caller,
  ): Promise<"set" | "absent" | "changed" | "last" | "full" | "stranger">;

  /** Makes a package private, or public again. */
  setAccess(name: string, access: PackageAccess, caller: Caller): Promise<"set" | "absent">;

  /** Whether anonymous callers must not see the package. */
  isPrivate(name: string): Promise<boolean>;

  /** Packages of a scope (`@acme`), or packages with the given maintainer; sorted by name. */
  packages(
    of: { readonly scope: string } | { readonly maintainer: string },
  ): Promise<readonly OwnedPackage[]>;
}

/** A right of a team on a package, in npm's words. */
export type TeamPermission = "read-only" | "read-write";

/** A team that has rights on packages of a scope. */
export type NpmTeam = {
  readonly name: string;
  /** Names of its members, in order. */
  readonly members: readonly string[];
  /** Names of the packages of the scope, with the right of the team. */
  readonly packages: ReadonlyMap<string, TeamPermission>;
};

/** Teams of the registry, as `npm team` and `npm access` see them. */
export interface NpmTeams {
  /** Teams with rights on packages of a scope (`@acme`), in order of their names. */
  ofScope(scope: string): Promise<readonly NpmTeam[]>;
  /**
   * `absent`: there is no such team. `last`: no owner that may change owners would be left. `full`:
   * the package has as many owners as it may have.
   */
  setPermission(
    name: string,
    change: { readonly team: string; readonly permission: TeamPermission | undefined },
    caller: Caller,
  ): Promise<"set" | "absent" | "last" | "full">;
}

/** A package with its maintainers. */
export type OwnedPackage = { readonly name: string; readonly maintainers: readonly Maintainer[] };
