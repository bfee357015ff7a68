import { createHash } from "node:crypto";
import type { ReleaseItem, StoredRelease } from "../model/release.ts";
import { targetNamed } from "../model/publish-target.ts";
import type { PublishTarget } from "../model/publish-target.ts";
import { purlOf } from "./purl.ts";
import { sentDigests, STATEMENT_TYPE } from "./release-statement.ts";
import type { SignedStatement } from "./release-statement.ts";

/** Type of the predicate of a statement about the end of a release. */
export const OUTCOME_TYPE = `${STATEMENT_TYPE}:outcome`;

/** Contents of a statement that the release does not have. */
export type OutcomeSurroundings = {
  /** Public address of this registry, which the statement leaves out when none is configured. */
  readonly feed: string | undefined;
  /** The statement of the release. */
  readonly statement: Pick<SignedStatement, "statement">;
};

/**
 * Writes what a release has published where, with the digests that the targets serve: an in-toto
 * statement. Its subjects are the published files.
 */
export function outcomeStatement(
  release: StoredRelease,
  targets: readonly PublishTarget[],
  { feed, statement }: OutcomeSurroundings,
): string {
  const { id, number, group, state, endedAt, reason, items } = release;
  return JSON.stringify({
    _type: "https://in-toto.io/Statement/v1",
    subject: subjectsOf(items, targets),
    predicateType: OUTCOME_TYPE,
    predicate: {
      release: {
        id,
        number,
        group,
        feed,
        state,
        endedAt: endedAt?.toISOString(),
        reason,
        statement: { sha256: digestOf(statement) },
      },
      results: items.map((item) => ({
        purl: purlOf(item.member),
        target: item.target,
        endpoint: endpointOf(targetNamed(targets, item.target)),
        state: item.state,
        wasThere: item.wasThere,
        ...(PUBLISHED.has(item.state) && { served: item.served }),
        note: item.note,
      })),
    },
  });
}

/** SHA-256 of a statement, lower-case hex. */
export function digestOf({ statement }: Pick<SignedStatement, "statement">): string {
  return createHash("sha256").update(statement).digest("hex");
}

const PUBLISHED: ReadonlySet<ReleaseItem["state"]> = new Set(["published", "pointed", "same"]);

/** The published files; without any, those of the members, because a statement needs a subject. */
function subjectsOf(items: readonly ReleaseItem[], targets: readonly PublishTarget[]) {
  const published = items.filter(({ state }) => PUBLISHED.has(state));
  const chosen = published.length > 0 ? published : items;
  const subjects = chosen.map((item) => ({
    name: purlOf(item.member),
    digest: item.served ?? sentDigests(item, targets),
  }));
  return [...new Map(subjects.map((subject) => [JSON.stringify(subject), subject])).values()];
}

function endpointOf(target: PublishTarget | undefined): string | undefined {
  return target && `${target.endpoint.origin}${target.endpoint.pathname}`;
}
