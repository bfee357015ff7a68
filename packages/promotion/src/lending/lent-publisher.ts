import type { Publisher, Unsettled } from "../publishers/publisher.ts";
import type { Failure } from "../publishers/settle.ts";
import type { ReleaseMember } from "../model/release.ts";
import type { LentCredentials, PublishTarget, TargetCredentials } from "../model/publish-target.ts";
import type { ExchangedKey, ExchangeRequest } from "./exchange-id-token.ts";
import type { LentKeys } from "./lent-keys.ts";
import type { LentPlace } from "./ports.ts";

/** A target whose keys pipelines lend. */
export type LentTarget = PublishTarget & { readonly credentials: LentCredentials };

export type LentPublisherParts = {
  /** Id of the release. */
  readonly release: string;
  readonly keys: LentKeys;
  readonly exchange: (request: ExchangeRequest, signal: AbortSignal) => Promise<ExchangedKey>;
  /** Opens the publisher with credentials. */
  readonly open: (target: PublishTarget) => Publisher;
};

/** Whether each release brings the key of the target. */
export function isLent(target: PublishTarget): target is LentTarget {
  return target.credentials?.type === "lent";
}

/**
 * Publishes with the keys that a pipeline lent to one release. Without a key, each step is
 * `unauthorized`; a key that the target refuses is dropped.
 */
export function lentPublisher(target: LentTarget, parts: LentPublisherParts): Publisher {
  const opened = new Map<string, Publisher>();
  /** Does a step with the key for the package. */
  const withKeyFor = async <T extends { readonly status: string }>(
    { name }: ReleaseMember,
    signal: AbortSignal,
    step: (publisher: Publisher) => Promise<T>,
  ): Promise<T | Failure> => {
    const found = await keyFor(target, name, parts, signal);
    if (found.status !== "found") return found;
    const { place, secret } = found;
    const publisher = opened.get(secret) ?? parts.open(withKey(target, secret));
    opened.set(secret, publisher);
    const outcome = await step(publisher);
    if (outcome.status === "unauthorized") await parts.keys.drop(place);
    return outcome;
  };
  const { isReversible, isFinal, namesAtOnce } = parts.open(target);
  return {
    isReversible,
    isFinal,
    namesAtOnce,
    check: (member, signal) => withKeyFor(member, signal, (at) => at.check(member, signal)),
    carry: (item, signal) => withKeyFor(item.member, signal, (at) => at.carry(item, signal)),
    publish: (item, signal) => withKeyFor(item.member, signal, (at) => at.publish(item, signal)),
    look: (item, signal) => withKeyFor(item.member, signal, (at) => at.look(item, signal)),
    point: (item, statement, signal) =>
      withKeyFor(item.member, signal, (at) => at.point(item, statement, signal)),
    async undo(item, signal) {
      const undone = await withKeyFor(item.member, signal, (at) => at.undo(item, signal));
      if (undone.status !== "refused") return undone;
      return { status: "stuck", reason: `it stays at the target: ${undone.reason}` };
    },
  };
}

type FoundKey =
  | { readonly status: "found"; readonly place: LentPlace; readonly secret: string }
  | Failure;

/** The key for a package, exchanged when the pipeline lent an ID token. */
async function keyFor(
  { name: target, protocol, credentials }: LentTarget,
  packageName: string,
  { release, keys, exchange }: LentPublisherParts,
  signal: AbortSignal,
): Promise<FoundKey> {
  const lentPlace = { release, target, name: "" };
  const lent = await keys.find(lentPlace);
  if (credentials.kind === "key") {
    return lent ? { status: "found", place: lentPlace, secret: lent.secret } : unlent();
  }
  // npm gives a key for one package, NuGet one for all packages of an account.
  const place = { release, target, name: protocol === "npm" ? packageName : "*" };
  const known = await keys.find(place);
  if (known) return { status: "found", place, secret: known.secret };
  if (!lent) return unlent();
  const { username } = credentials;
  const request = { idToken: lent.secret, name: packageName, username };
  const given = await exchange(request, signal);
  if (given.status === "unauthorized") await keys.drop(lentPlace);
  if (given.status !== "exchanged") return given;
  const { secret, expiresAt } = given;
  await keys.put(place, { secret, expiresAt });
  return { status: "found", place, secret };
}

function unlent(): Unsettled {
  return { status: "unauthorized", reason: "no key is lent, or the lent one has expired" };
}

function withKey(target: LentTarget, secret: string): PublishTarget {
  const { protocol, credentials: lent } = target;
  return { ...target, credentials: credentialsOf(protocol, lent, secret) };
}

function credentialsOf(
  protocol: PublishTarget["protocol"],
  { kind, username }: LentCredentials,
  secret: string,
): TargetCredentials {
  if (kind === "key" && username !== undefined) {
    return { type: "basic", username, password: secret };
  }
  return protocol === "nuget"
    ? { type: "api-key", key: secret }
    : { type: "bearer", token: secret };
}
