import type {
  ShownHold,
  ShownSealKeys,
  ShownSigning,
  ShownTagRetention,
} from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import type { Prints } from "../actions/print.ts";
import { GARBAGE_PRINTS } from "./print-garbage.ts";

const WORDS = {
  planned: "would be deleted",
  deleted: "deleted",
  kept: "kept: used in between",
} as const satisfies Record<ShownTagRetention["tags"][number]["outcome"], string>;

/** Prints of actions on images. */
export const IMAGE_PRINTS: Prints = {
  ...GARBAGE_PRINTS,
  "images.retain": printOf<ShownTagRetention>({
    formerApply: "--run",
    text({ dryRun, candidates, removed, tags }, { stdout, stderr }) {
      for (const { outcome, repository, tag, rule } of tags) {
        stdout([WORDS[outcome], `${repository}:${tag}`, rule].join("  "));
      }
      stderr(
        dryRun
          ? `Would delete ${candidates} tags. Use --apply to delete them.`
          : `Deleted ${removed} tags.`,
      );
    },
  }),
  "images.sign": printOf<ShownSigning>({
    formerWord: "seal",
    text({ sealed, there, failed, dryRun, images, failures }, { stdout, stderr }) {
      for (const { image, reason } of failures) stderr(`${image}: ${reason}`);
      for (const image of images) stdout(image);
      stderr(
        dryRun
          ? `Would sign: ${sealed}. Signed already: ${there}.`
          : `Signed: ${sealed}. Signed already: ${there}. Failed: ${failed}.`,
      );
    },
    code: ({ failed }) => (failed > 0 ? 1 : 0),
    json: ({ sealed, there, failed, dryRun }) => ({ sealed, there, failed, dryRun }),
  }),
  "images.key": printOf<ShownSealKeys>({
    text: ({ key }, { stdout }) => stdout(key.trimEnd()),
  }),
  "images.certificate": printOf<ShownSealKeys>({
    text: ({ certificate }, { stdout }) => stdout(certificate.trimEnd()),
  }),
  "images.keys": printOf<ShownSealKeys>({
    text({ key, certificate }, { stdout }) {
      stdout(key.trimEnd());
      stdout(certificate.trimEnd());
    },
  }),
  "images.hold": printOf<ShownHold>({
    text({ digest, until }, { stderr }) {
      const end = until === undefined ? "until it is released" : `until ${until}`;
      stderr(`${digest} is held ${end}: it cannot be deleted, and is not collected.`);
    },
  }),
  "images.release-hold": printOf<Pick<ShownHold, "digest">>({
    text: ({ digest }, { stderr }) => stderr(`${digest} is no longer held by operators.`),
  }),
  "images.list-holds": printOf<{ readonly items: readonly ShownHold[] }>({
    text({ items }, { stdout, stderr }) {
      if (items.length === 0) stderr("Nothing is held.");
      for (const { digest, holder, until } of items) {
        const by = holder.startsWith("operator:") ? "operator" : holder;
        stdout([digest, by, until === undefined ? "no end" : `until ${until}`].join("  "));
      }
    },
  }),
  "images.forget": printOf<{ readonly name: string }>({
    text: ({ name }, { stderr }) =>
      stderr(`${name} is forgotten: its sources and all publishers can use the name.`),
  }),
};
