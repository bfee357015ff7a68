/** The protocols that a registry serves. */
export type Protocol = "nuget" | "npm" | "oci";

/** Who makes a request, from where, in which request. Never holds a secret. */
export type Caller = {
  /** A user name, a token's name, or `system`. */
  readonly actor: string;
  readonly tokenId?: string;
  readonly address?: string;
  readonly requestId?: string;
};

/**
 * Whether a caller may do what a request asks for. A protocol adds what it needs to know about a
 * granted request (`Granted`) and what it may tell an anonymous caller (`Anonymous`).
 */
export type Verdict<Granted = object, Anonymous = object> =
  | ({ readonly status: "granted"; readonly caller: Caller } & Granted)
  /** No credentials, or none that are known. */
  | ({ readonly status: "anonymous" } & Anonymous)
  | { readonly status: "denied"; readonly reason: string }
  | { readonly status: "limited"; readonly retryAfterSeconds: number };

/** The verdict about NuGet and npm packages. */
export type PackageVerdict = Verdict<
  {
    /** Patterns of the names that the caller may see, when the request names no package and the
     * caller may not see all. */
    readonly names?: readonly string[];
  },
  {
    /** What is wrong with the credentials. */
    readonly reason?: string;
  }
>;

/** The verdict about container images. */
export type ImageVerdict<Repository extends string = string> = Verdict<
  {
    /** For rows of the catalog, by identity. For mount sources that the request does not name:
     * what these credentials open, or everybody may pull. */
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
  /** Whether documents with links to it may be stored: true for a bounded number of addresses. */
  readonly cacheable: boolean;
};

/** Finds the URL under which a client reached the registry. */
export type PublicAddressOf<Address extends RequestAddress = RequestAddress> = (
  request: Request,
  env: unknown,
) => Address;
