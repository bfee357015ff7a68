/** The protocols that a registry serves. */
export type Protocol = "nuget" | "npm" | "oci";

/** Who did something, from where, in which request, as events show it. Never holds a secret. */
export type ShownCaller = {
  /** A user name, a token's name, or `system`. */
  readonly actor: string;
  readonly tokenId?: string;
  readonly address?: string;
  readonly requestId?: string;
};

/** Facts that the commit of a change checks again: they may have ended since the request began. */
export type CallerCredentials = {
  readonly tokenId?: string;
  /** Hash of the browser session that makes the request. */
  readonly sessionHash?: string;
  /** Scopes, one of which the role of the user must still allow; undefined when no user's role
   * limits the change. */
  readonly needs: readonly string[] | undefined;
};

/** A caller that holds nothing which could end: the operator, and the registry's own jobs. */
type NoCredentials = { readonly [Name in keyof CallerCredentials]?: never };

/**
 * Who asks for a change. A caller with a token or a session has `needs` for the commit to check,
 * so that the caller that an event shows cannot take its place.
 */
export type Caller = ShownCaller &
  (CallerCredentials | NoCredentials) & {
    /** Id of the user, service account or publish policy that the token belongs to. It owns the
     * names that it creates, by itself or through its team. */
    readonly holderId?: string;
    /** The owners of the requested name, when the host has looked them up. */
    readonly ownedName?: OwnedName;
  };

/** The owners of a name when a request for it was authorized. */
export type OwnedName = {
  /** The name had no owner and no versions. */
  readonly isNew: boolean;
  /** Handles of those who publish it; of a new name, none. */
  readonly owners: readonly string[];
};

/**
 * Whether a caller may do what a request asks for. A protocol adds what it needs to know about a
 * granted request (`Granted`) and what it may tell an anonymous caller (`Anonymous`).
 */
export type Verdict<Granted = object, Anonymous = object> =
  | ({ readonly status: "granted"; readonly caller: Caller } & Granted)
  /** The request has no valid credentials. */
  | ({ readonly status: "anonymous" } & Anonymous)
  /**
   * The caller may not do it. `isConcealed`: answer 404 without the reason, which would show
   * that the name exists.
   */
  | { readonly status: "denied"; readonly reason: string; readonly isConcealed?: true }
  /**
   * The caller must not see that the name exists: answer as for an unknown name. `caller`: as for
   * an unknown name, which the caller may ask for.
   */
  | { readonly status: "absent"; readonly caller: Caller }
  | { readonly status: "limited"; readonly retryAfterSeconds: number };

/** Names that a caller must not see in lists. */
export type HiddenNames = {
  /** Whether the caller may see internal names. */
  readonly isSignedIn: boolean;
  /** Ids of the owners that the caller acts for; their private names are not hidden. */
  readonly owners: readonly string[];
  /** Whether a name is hidden, for lists that are not read from the database. */
  readonly has: (name: string) => boolean;
};

/** The verdict about NuGet and npm packages. */
export type PackageVerdict = Verdict<
  {
    /** Patterns of the names that the caller may see, when the request names no package and the
     * caller may not see all. */
    readonly names?: readonly string[];
    /** Undefined when no name is hidden from the caller. */
    readonly hidden?: HiddenNames;
    /** Other callers must not see the name, so that shared caches must not store the answer. */
    readonly isPrivate?: true;
  },
  {
    /** The reason why the credentials are invalid. */
    readonly reason?: string;
  }
>;

/** The verdict about container images. */
export type ImageVerdict<Repository extends string = string> = Verdict<
  {
    /**
     * Whether the caller may pull a repository: rows of the catalog, or mount sources that the
     * request does not name. True for public repositories.
     */
    readonly mayPull: (repository: Repository) => boolean;
  },
  {
    /** A bearer token whose scope does not reach, or that is not valid: challenge again. */
    readonly error?: "insufficient_scope" | "invalid_token";
  }
>;

/** The URL under which a client reached a registry. */
export type RequestAddress = {
  /** Without trailing slash. Every absolute link begins with it. */
  readonly base: string;
  /** Whether to cache documents with links to this URL. True for a limited number of URLs. */
  readonly cacheable: boolean;
};

/** Finds the URL under which a client reached the registry. */
export type PublicAddressOf<Address extends RequestAddress = RequestAddress> = (
  request: Request,
  env: unknown,
) => Address;
