import type { FileDigests, ReleaseItem, ReleaseMember, StoredRelease } from "../model/release.ts";
import { targetNamed } from "../model/publish-target.ts";
import type { PublishTarget } from "../model/publish-target.ts";
import { purlOf } from "./purl.ts";

/** Type of the predicate of a statement about a release. */
export const STATEMENT_TYPE = "urn:sealhouse:release:v1";

/** The same in statements of earlier versions, which stay valid. */
export const FORMER_STATEMENT_TYPE = "https://github.com/sealhouse/sealhouse/release/v1";

/** A signed statement of a release. */
export type SignedStatement = {
  /** The in-toto statement, JSON; these bytes were signed. */
  readonly statement: string;
  /** Base64; of the DSSE pre-authentication encoding of the statement. */
  readonly envelopeSignature: string;
  /** Base64; of the statement itself, for `cosign verify-blob`. */
  readonly plainSignature: string;
  /** Id of the key, for verifiers. */
  readonly keyId: string;
  /** PEM. */
  readonly publicKey: string;
};

/** Contents of a statement that the release does not have. */
export type StatementSurroundings = {
  /** Public address of this registry, which the statement leaves out when none is configured. */
  readonly feed: string | undefined;
  /** SHA-256 of the statement of the release before, lower-case hex. */
  readonly previous: string | undefined;
  readonly signedAt: Date;
};

/**
 * Writes what a release sends, to which targets, and who asked for it: an in-toto statement
 * (https://in-toto.io/Statement/v1). Its subjects are the sent files.
 */
export function releaseStatement(
  release: StoredRelease,
  targets: readonly PublishTarget[],
  { feed, previous, signedAt }: StatementSurroundings,
): string {
  const wanted = release.targets.flatMap((name) => targetNamed(targets, name) ?? []);
  const members = sentMembers(release, wanted);
  const { id, number, group, actor, tokenId, frozenAt } = release;
  return JSON.stringify({
    _type: "https://in-toto.io/Statement/v1",
    subject: subjectsOf(members),
    predicateType: STATEMENT_TYPE,
    predicate: {
      release: {
        id,
        number,
        group,
        feed,
        frozenAt: frozenAt?.toISOString(),
        signedAt: signedAt.toISOString(),
        actor,
        tokenId,
        previous,
      },
      members: members.map(({ member, sent }) => ({
        purl: purlOf(member),
        received: member.received,
        served: member.sealed ?? member.received,
        sent,
        mediaType: member.mediaType,
        size: member.size,
        tags: member.tags,
      })),
      targets: wanted.map(({ name, protocol, endpoint }) => ({
        name,
        protocol,
        endpoint: `${endpoint.origin}${endpoint.pathname}`,
      })),
    },
  });
}

type SentMember = { readonly member: ReleaseMember; readonly sent: FileDigests };

/** Each member once for each form in which it is sent. */
function sentMembers(
  { items }: StoredRelease,
  targets: readonly PublishTarget[],
): readonly SentMember[] {
  const members = new Map<string, SentMember>();
  for (const item of items) {
    const { member } = item;
    const sent = sentDigests(item, targets);
    members.set(`${purlOf(member)} ${sent.sha256}`, { member, sent });
  }
  return [...members.values()];
}

/** Digests of the file that a target gets. */
export function sentDigests(
  { member, target }: Pick<ReleaseItem, "member" | "target">,
  targets: readonly PublishTarget[],
): FileDigests {
  const isSealed = targetNamed(targets, target)?.options.nugetContent === "Sealed";
  return isSealed && member.sealed ? member.sealed : member.received;
}

function subjectsOf(members: readonly SentMember[]) {
  return members.map(({ member, sent }) => ({ name: purlOf(member), digest: sent }));
}
