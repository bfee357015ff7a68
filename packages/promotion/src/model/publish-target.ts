import type { Protocol } from "@sealhouse/request-types";

/** No secret: the pipeline of each release lends a key for it. */
export type LentCredentials = {
  readonly type: "lent";
  /** `id-token`: the target gives a key for it, without a stored secret on either side. */
  readonly kind: "key" | "id-token";
  /** With a key: the user name of Basic. NuGet, with an ID token: the account of the packages. */
  readonly username?: string;
};

/** Credentials of a target. */
export type TargetCredentials =
  | LentCredentials
  /** NuGet: `X-NuGet-ApiKey`. */
  | { readonly type: "api-key"; readonly key: string }
  /** Sent unchanged; images: or exchanged at the token service of the registry. */
  | { readonly type: "bearer"; readonly token: string }
  /** Images: or exchanged for a token, where the registry asks for one. */
  | { readonly type: "basic"; readonly username: string; readonly password: string };

/** The file of a NuGet package that a target gets: the received one, or ours with its signature. */
export type NuGetContent = "Original" | "Sealed";

/** Ways to publish npm versions: at once, or staged until a person approves them. */
export type PublishMode = "direct" | "stage";

/** Options of a target, with the defaults of `TARGET_DEFAULTS`. */
export type TargetOptions = {
  readonly nugetContent: NuGetContent;
  readonly publish: PublishMode;
  /** Whether attestations of npm versions are sent along. Registries other than npmjs and Sealhouse
   * often refuse them. */
  readonly attestations: boolean;
  /** Whether image layers that stay at another place are copied. */
  readonly includeForeign: boolean;
  /** Whether a tag of an image that exists at the target never moves. */
  readonly immutableTags: boolean;
  /** Further origins (scheme, host, port) that get the credentials: those of push addresses in a
   * service index, and of token services. */
  readonly allowedOrigins: readonly string[];
  readonly allowPrivateNetwork: boolean;
  /** PEM of the authorities that its https certificates come from. */
  readonly caPath?: string;
};

/** Defaults of the options of a target. */
export const TARGET_DEFAULTS: TargetOptions = {
  nugetContent: "Original",
  publish: "direct",
  attestations: false,
  includeForeign: false,
  immutableTags: false,
  allowedOrigins: [],
  allowPrivateNetwork: false,
};

/** Why nothing is sent to a target, until an operator resumes it. */
export type TargetPause = { readonly at: Date; readonly reason: string };

/** A registry that packages are published to. */
export type PublishTarget = {
  /** Unique without regard to letter case; as `TARGET_NAME` allows. */
  readonly name: string;
  readonly protocol: Protocol;
  /** NuGet: the service index or the push address. npm: the registry. OCI: the registry or a
   * namespace of it. */
  readonly endpoint: URL;
  readonly credentials?: TargetCredentials;
  /** Whether there are credentials that the key ring cannot decrypt. */
  readonly hasLostCredentials: boolean;
  /** When the credentials expire. */
  readonly expiresAt?: Date;
  readonly pause?: TargetPause;
  /** When a release last succeeded at this endpoint. */
  readonly lastSuccessAt?: Date;
  readonly options: TargetOptions;
};

/** Allowed names of targets and groups. */
export const TARGET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** Returns the target with a name; letter case does not matter. */
export function targetNamed(
  targets: readonly PublishTarget[],
  name: string,
): PublishTarget | undefined {
  return targets.find((target) => target.name.toLowerCase() === name.toLowerCase());
}
