import { createHash, randomUUID } from "node:crypto";
import { SYSTEM } from "@sealhouse/events";
import type { Consumer, RegistryEvent } from "@sealhouse/events";
import type { Protocol } from "@sealhouse/request-types";
import type { GroupRows, MemberCatalog } from "../group/ports.ts";
import { itemsOf } from "../release/freeze-release.ts";
import { placeOf } from "../release/places.ts";
import type { ReleaseRows } from "../release/ports.ts";
import type { StoredTargets } from "../target/stored-targets.ts";
import type { SyndicationRows } from "./ports.ts";
import { isSyndicated } from "./syndication.ts";
import type { Syndication, Upload } from "./syndication.ts";

/** Dependencies of the consumer of uploads. */
export type SyndicationParts = {
  readonly rows: Pick<SyndicationRows, "list">;
  readonly groups: Pick<GroupRows, "list">;
  readonly targets: Pick<StoredTargets, "list">;
  readonly releases: Pick<ReleaseRows, "open">;
  readonly catalog: Pick<MemberCatalog, "versions" | "describe">;
  /** Whether a name is published here, and does not come from a package source. */
  readonly isOwn: (protocol: Protocol, name: string) => Promise<boolean>;
};

/** The types of events that open releases. */
const SYNDICATED_EVENTS = ["package.published", "package.tagged"] as const;

/**
 * The consumer of uploads. It calls `open` when there are syndications. The delivery of events
 * waits for it, because a batch is short.
 */
export function syndicationConsumer({
  syndications,
  open,
}: {
  readonly syndications: Pick<SyndicationRows, "list">;
  readonly open: () => Promise<{ syndicate(events: readonly RegistryEvent[]): Promise<void> }>;
}): Consumer & Disposable {
  return {
    name: "syndication",
    types: SYNDICATED_EVENTS,
    // Uploads of a package follow each other at a target.
    orderOf: ({ subject }) => subject.replace(/(?<=.)[@:][^/]*$/, ""),
    async handle(events) {
      if ((await syndications.list()).length === 0) return;
      await (await open()).syndicate(events);
    },
    [Symbol.dispose]: () => undefined,
  };
}

/**
 * Opens a release for each upload and syndication that takes it. The releases run later, outside of
 * requests. A repeated event finds the release of the first.
 */
export function syndicateEvents(
  parts: SyndicationParts,
): (events: readonly RegistryEvent[]) => Promise<void> {
  return async (events) => {
    const syndications = (await parts.rows.list()).filter(({ isEnabled }) => isEnabled);
    if (syndications.length === 0) return;
    const groups = await parts.groups.list();
    for (const event of events) {
      const upload = uploadOf(event);
      if (!upload) continue;
      const wanted = syndications.filter((syndication) =>
        isSyndicated(syndication, upload, groups),
      );
      if (wanted.length === 0 || !(await parts.isOwn(upload.protocol, upload.name))) continue;
      for (const syndication of wanted) await syndicate(parts, { syndication, upload, event });
    }
  };
}

/** `nuget/Acme.Core@1.0.0`, `npm/@acme/bar@1.0.0` or `oci/team/app:1.0`. */
export function uploadOf({
  type,
  subject,
  detail,
}: Pick<RegistryEvent, "type" | "subject" | "detail">): Upload | undefined {
  if (type === "package.tagged") return taggedVersion(subject, detail);
  if (type !== "package.published") return undefined;
  const [, protocol, name, separator, version] =
    /^(nuget|npm|oci)\/(@?[^@:]+)([@:])(.+)$/.exec(subject) ?? [];
  if (name === undefined || version === undefined) return undefined;
  if (protocol === "oci") return separator === ":" ? { protocol, name, version } : undefined;
  return protocol === "nuget" || protocol === "npm" ? { protocol, name, version } : undefined;
}

/** A dist-tag that moved to another version. */
function taggedVersion(subject: string, detail: RegistryEvent["detail"]): Upload | undefined {
  const [, name] = /^npm\/(.+)$/.exec(subject) ?? [];
  const version = detail?.["version"];
  if (name === undefined || typeof version !== "string") return undefined;
  return { protocol: "npm", name, version };
}

type Wanted = {
  readonly syndication: Syndication;
  readonly upload: Upload;
  readonly event: RegistryEvent;
};

async function syndicate(
  { targets, releases, catalog }: SyndicationParts,
  { syndication, upload, event }: Wanted,
): Promise<void> {
  const { protocol, name, version } = upload;
  const choices = await catalog.versions(protocol, name);
  const choice = choices.find(
    (found) => found.version.toLowerCase() === version.toLowerCase() && found.isListed,
  );
  const member = choice && (await catalog.describe(protocol, name, choice));
  // It was deleted in the meantime.
  if (!member) return;
  const id = randomUUID();
  const plan = itemsOf({ id, targets: [syndication.target] }, [member], await targets.list());
  // The target is for another protocol, as others of a group may be.
  if (plan.status === "refused") return;
  const place = placeOf(syndication.target, protocol, name);
  await releases.open(
    {
      id,
      key: digestOf(`${syndication.name.toLowerCase()} ${event.id} ${place}`),
      lane: place,
      group: syndication.name,
      kind: "syndication",
      targets: [syndication.target],
      items: plan.items,
    },
    SYSTEM,
  );
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
