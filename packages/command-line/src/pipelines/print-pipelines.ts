import { policyEnd, policySubject } from "@sealhouse/identity";
import type { ShownPipeline } from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import { printableLine } from "../printable.ts";

/** Prints pipelines. */
export const PIPELINE_PRINTS = {
  "pipelines.add": printOf<ShownPipeline>({
    text({ id, pinEndsAt }, { stdout, stderr }) {
      stderr("Added the pipeline. Its id:");
      stdout(id);
      if (pinEndsAt === undefined) return;
      stderr(
        `The first ID token fixes the ids of the repository or account. Without a use, the ` +
          `pipeline ends on ${pinEndsAt.slice(0, 10)}.`,
      );
    },
  }),
  "pipelines.list": printOf<{ readonly items: readonly ShownPipeline[] }>({
    text({ items }, { stdout, stderr }) {
      for (const pipeline of items) stdout(printableLine(lineOf(pipeline)));
      if (items.length === 0) stderr("No build job may publish: sealhouse pipeline add");
    },
  }),
  "pipelines.remove": printOf<{ readonly id: string }>({
    text: ({ id }, { stderr }) => stderr(`Removed the pipeline ${id} and revoked its tokens.`),
  }),
};

const ENDED = { void: "void", maker: "maker gone", unused: "ended unused" } as const;

function lineOf(pipeline: ShownPipeline): string {
  const { id, provider, protocols, patterns, scopes, owner, usedAt, state } = pipeline;
  const { pinned, pinEndsAt, isMakerGone = false } = pipeline;
  const pin = pinEndsAt !== undefined && { pinEndsAt: new Date(pinEndsAt) };
  const end = policyEnd({ state, isMakerGone, ...(pinned && { pinned }), ...pin }, new Date());
  return [
    id,
    end === undefined ? state : ENDED[end],
    provider,
    policySubject(pipeline),
    `${protocols.join(",")}: ${patterns.join(" ")}`,
    scopes.join(","),
    ...(owner === undefined ? [] : [`for ${owner}`]),
    usedAt === undefined ? "never used" : `last used ${usedAt}`,
  ].join("  ");
}
