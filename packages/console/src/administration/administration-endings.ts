import type { ListedSource } from "@sealhouse/upstream-sources";
import { PROTOCOLS } from "@sealhouse/identity";
import { countOf } from "../kit/elements/format.ts";
import type { Ending } from "../kit/forms/ask-first.ts";
import type { FormValues } from "../kit/forms/form-fields.ts";
import type { AdministrationSources } from "./model.ts";

/** States what ends when a source is removed. */
export async function sourceEnding(
  { mirroredFrom }: AdministrationSources,
  { source }: ListedSource,
): Promise<Ending> {
  const { name, protocol, credentials } = source;
  const { names, versions } = await mirroredFrom({ protocol, source: name });
  const unit = protocol === "oci" ? "tag" : "version";
  return {
    title: `Remove the source ${name}?`,
    ends: [
      names === 0
        ? "No name was mirrored from it."
        : `Mirrored from it: ${countOf(names, "name")} with ${countOf(versions, unit)}. ` +
          "They stay here, and get nothing new from it.",
      "This registry no longer asks it for any name.",
      ...(credentials ? ["Its stored credentials are deleted."] : []),
    ],
    button: "Remove the source",
  };
}

/** States what ends when a name is released; undefined when there is nothing to release. */
export async function releaseEnding(
  { names }: AdministrationSources,
  values: FormValues,
): Promise<Ending | undefined> {
  const protocol = PROTOCOLS.find((known) => known === values.get("protocol"));
  const name = values.get("name")?.trim() ?? "";
  const origin = protocol && name !== "" ? await names.find(protocol, name) : undefined;
  if (!origin || origin.origin === "own") return undefined;
  const isMirrored = origin.origin === "mirrored";
  return {
    title: `Release ${name}?`,
    ends: isMirrored
      ? [
          `${origin.source ?? "Its source"} is no longer asked for it. Fetched versions stay.`,
          "People with the right to publish can publish it here.",
        ]
      : ["The reservation ends. Package sources may be asked for the names that it covers."],
    button: "Release the name",
  };
}
