import type { Caller, HiddenNames, Protocol } from "@sealhouse/request-types";
import type { Principal } from "../principal.ts";

/**
 * Who may see a name: its owners, who is signed in, or all that may read. `public` allows anonymous
 * callers only where `Feed__Authentication__AllowAnonymousPull` does.
 */
export type Visibility = "private" | "internal" | "public";

/** From the fewest readers to the most. */
export const VISIBILITIES = [
  "private",
  "internal",
  "public",
] as const satisfies readonly Visibility[];

/** A name that some callers must not see. */
export type HiddenName = {
  /** NuGet ids in lower case. */
  readonly name: string;
  readonly visibility: Exclude<Visibility, "public">;
  /** Ids of the users and teams that own it. */
  readonly owners: readonly string[];
};

/** The part of a caller that decides which names it sees. */
export type ViewHolder = Pick<Principal, "user" | "serviceAccountId">;

/** Visibilities of names. A name without one is public. */
export interface NameVisibilities {
  /** Whether any name is not public. */
  any(): Promise<boolean>;
  /** Undefined for a public name. */
  find(protocol: Protocol, name: string): Promise<HiddenName | undefined>;
  /** All names that are not public, by name; the same array until something changes. */
  list(protocol: Protocol): Promise<readonly HiddenName[]>;
  /** Ids of the user and its teams, or of the team of a service account. */
  ownersOf(holder: ViewHolder): Promise<readonly string[]>;
  /** Sets a visibility with its event. `absent`: no such package or repository. */
  set(
    protocol: Protocol,
    name: string,
    change: { readonly visibility: Visibility; readonly by: Caller },
  ): Promise<"set" | "unchanged" | "absent">;
}

/** The names that a request decides about: one, or all of a protocol. */
export type ViewedNames = { readonly protocol: Protocol; readonly name?: string | undefined };

/** A name that is not public, as it concerns one caller. */
export type LimitedName = Pick<HiddenName, "visibility"> & {
  /** Whether the caller, or one of its teams, owns the name. */
  readonly isOwn: boolean;
};

/** Names as one caller sees them. */
export type View = {
  /** Undefined for a public name. */
  limited(name: string): LimitedName | undefined;
  /** For lists; undefined when nothing is hidden. */
  hiddenNames(): HiddenNames | undefined;
  /** The same names as anonymous callers see them. */
  ofAnonymous(): View;
};

/** The views of callers. */
export type NameViews = {
  /** Whether any name is not public. Ask together with the lookup of the caller. */
  any(): Promise<boolean>;
  /** Returns what a caller sees; undefined when the names are public. */
  viewOf(holder: ViewHolder | undefined, names: ViewedNames): Promise<View | undefined>;
};

/**
 * Opens the views of callers. Administrators, operators' tokens and publish policies see all names
 * within the limits of their tokens.
 */
export function createNameViews(visibilities: Omit<NameVisibilities, "set">): NameViews {
  const indexed = new WeakMap<readonly HiddenName[], Index>();
  const indexOf = (names: readonly HiddenName[], protocol: Protocol): Index => {
    const index =
      indexed.get(names) ?? new Map(names.map((entry) => [keyOf(protocol, entry.name), entry]));
    indexed.set(names, index);
    return index;
  };
  const viewFor: NameViews["viewOf"] = async (holder, { protocol, name }) => {
    const one = name === undefined ? undefined : await visibilities.find(protocol, name);
    if (name !== undefined && !one) return undefined;
    const names = one ? [one] : await visibilities.list(protocol);
    const viewer = {
      owners: holder ? await visibilities.ownersOf(holder) : [],
      isSignedIn: holder !== undefined,
      seesAll: holder !== undefined && seesAll(holder),
    };
    return viewOf(indexOf(names, protocol), protocol, viewer);
  };
  return { any: () => visibilities.any(), viewOf: viewFor };
}

type Index = ReadonlyMap<string, HiddenName>;

/** Whether only the limits of a token decide, and not ownership. */
export function seesAll({ user, serviceAccountId }: ViewHolder): boolean {
  if (user) return user.role === "administrator";
  return serviceAccountId === undefined;
}

type Viewer = Pick<HiddenNames, "owners" | "isSignedIn"> & { readonly seesAll: boolean };

const ANONYMOUS: Viewer = { owners: [], isSignedIn: false, seesAll: false };

function viewOf(index: Index, protocol: Protocol, viewer: Viewer): View {
  const entryOf = (name: string) => index.get(keyOf(protocol, name));
  return {
    limited: (name) => limitedFor(viewer, entryOf(name)),
    hiddenNames() {
      if (viewer.seesAll) return undefined;
      const { owners, isSignedIn } = viewer;
      return {
        owners,
        isSignedIn,
        has(name) {
          const limited = limitedFor(viewer, entryOf(name));
          return limited !== undefined && !seesName(viewer, limited);
        },
      };
    },
    ofAnonymous: () => viewOf(index, protocol, ANONYMOUS),
  };
}

function limitedFor(
  { owners }: Pick<Viewer, "owners">,
  entry: HiddenName | undefined,
): LimitedName | undefined {
  if (!entry) return undefined;
  const isOwn = entry.owners.some((owner) => owners.includes(owner));
  return { visibility: entry.visibility, isOwn };
}

/** Whether a caller may know of a name that is not public. Lists have the same rule in SQL. */
export function seesName(
  viewer: Pick<Viewer, "isSignedIn" | "seesAll">,
  { visibility, isOwn }: LimitedName,
): boolean {
  return viewer.seesAll || isOwn || (visibility === "internal" && viewer.isSignedIn);
}

function keyOf(protocol: Protocol, name: string): string {
  return protocol === "nuget" ? name.toLowerCase() : name;
}
