import type { NewEvent } from "@sealhouse/events";
import type { Protocol } from "@sealhouse/request-types";
import type { ChangedNames } from "./follow-changes.ts";

/** Events of changes that the history records. */
const RECORDED: Readonly<Partial<Record<NewEvent["type"], true>>> = {
  "package.published": true,
  "package.unlisted": true,
  "package.relisted": true,
  "package.deprecated": true,
  "package.deleted": true,
  "package.tagged": true,
  "package.owners-changed": true,
  "package.access-changed": true,
};

/** Facts of the whole name. */
const WHOLE_NAME = "";

/** Returns what an event has changed; undefined for changes without a history. */
export function changedBy({
  type,
  subject,
  detail,
}: Pick<NewEvent, "type" | "subject" | "detail">): ChangedNames | undefined {
  if (!RECORDED[type]) return undefined;
  const [, protocol, rest = ""] = /^(nuget|npm|oci)\/(.+)$/s.exec(subject) ?? [];
  switch (protocol as Protocol | undefined) {
    case "nuget":
      return nugetChange(rest);
    case "npm":
      return npmChange(type, rest, detail);
    case "oci":
      // Documents of images name no owners.
      return type === "package.owners-changed" ? undefined : ociChange(rest);
    case undefined:
      return undefined;
  }
}

const NOTHING: Pick<ChangedNames, "items"> = { items: [] };

/** Joins the changes of each name, so that its history is followed once. */
export function merged(changes: readonly ChangedNames[]): readonly ChangedNames[] {
  const byName = new Map<string, ChangedNames>();
  for (const change of changes) {
    const key = `${change.protocol}/${change.names.join("/")}`;
    const { items } = byName.get(key) ?? NOTHING;
    const joined = items && change.items && [...new Set([...items, ...change.items])];
    const { protocol, names } = change;
    byName.set(key, { protocol, names, ...(joined && { items: joined }) });
  }
  return [...byName.values()];
}

/** The subject is `Acme.Widgets@1.0.0`. */
function nugetChange(subject: string): ChangedNames {
  const [id = "", version = ""] = subject.toLowerCase().split("@");
  return { protocol: "nuget", names: [id], items: [version, WHOLE_NAME] };
}

/** The subject is `@acme/widgets@1.0.0`, or the name alone. */
function npmChange(
  type: NewEvent["type"],
  subject: string,
  detail: NewEvent["detail"],
): ChangedNames {
  const index = subject.indexOf("@", 1);
  const names = [index === -1 ? subject : subject.slice(0, index)];
  const version = index === -1 ? [] : [subject.slice(index + 1)];
  // Deleting a version removes the tags that point to it and may move `latest`.
  if (type === "package.deleted") return { protocol: "npm", names };
  const tags = Array.isArray(detail?.["tags"]) ? (detail["tags"] as readonly string[]) : [];
  const tag = typeof detail?.["distTag"] === "string" ? [detail["distTag"]] : [];
  return { protocol: "npm", names, items: [...version, ...tags, ...tag, WHOLE_NAME] };
}

/** The subject is `team/app:1.0`, or `team/app@sha256:…` for a manifest with all its tags. */
function ociChange(subject: string): ChangedNames {
  const [name = "", digest] = subject.split("@", 2);
  if (digest !== undefined) return { protocol: "oci", names: [name] };
  const index = subject.lastIndexOf(":");
  return { protocol: "oci", names: [subject.slice(0, index)], items: [subject.slice(index + 1)] };
}
