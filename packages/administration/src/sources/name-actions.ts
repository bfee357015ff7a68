import { isTokenSettingError, parsePatterns } from "@sealhouse/identity";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { absent, conflict, invalidField } from "../refusal.ts";
import { protocolIn } from "./source-actions.ts";

const FIELDS = {
  protocol: field(z.string().max(20), "Protocol", "nuget, npm or oci."),
  name: field(z.string().max(256), "Name", "A name, or a pattern such as @acme/*."),
};

const OUTCOME = z.strictObject({
  protocol: z.string(),
  name: z.string(),
  status: z.enum(["own", "ended", "released", "reserved", "repeated"]),
  source: z.string().optional(),
});
/** The state of a name after a reservation or a release. */
export type ShownNameOutcome = z.output<typeof OUTCOME>;

const releaseName = defineAction({
  id: "sources.release-name",
  summary: "make a mirrored name an own one, or end the reservation of a name or pattern",
  scope: "sources:write",
  method: "POST",
  path: "/names/release",
  command: "source release <protocol> <name>",
  form: { page: "/administration/names" },
  input: z.strictObject(FIELDS),
  output: OUTCOME,
  refusals: ["absent"],
  lasting: "change-reservations",
  async run({ input, parts, caller }) {
    const { protocol, name } = namedIn(input);
    const { origins } = await parts.sources();
    const outcome = await origins.release(protocol, name, caller);
    const { status } = outcome;
    if (status === "absent") throw absent(`${name} is neither mirrored nor reserved.`);
    return { protocol, name, status, ...("source" in outcome && { source: outcome.source }) };
  },
});

const reserveName = defineAction({
  id: "sources.reserve-name",
  summary: "keep a name, or a pattern such as @acme/*, for packages of this registry",
  scope: "sources:write",
  method: "POST",
  path: "/names/reserve",
  command: "source reserve <protocol> <name>",
  form: { page: "/administration/names" },
  input: z.strictObject(FIELDS),
  output: OUTCOME,
  refusals: ["conflict"],
  lasting: "change-reservations",
  async run({ input, parts, caller }) {
    const { protocol, name } = namedIn(input);
    const { origins } = await parts.sources();
    const outcome = await origins.reserve(protocol, name, caller);
    if (outcome.status === "mirrored") {
      throw conflict(
        `${name} is mirrored from ${outcome.source}. To publish it here: ` +
          `sealhouse source release ${protocol} ${name}`,
      );
    }
    return { protocol, name, ...outcome };
  },
});

/** Names that no source is asked for. */
export const NAME_ACTIONS = [releaseName, reserveName];

function namedIn({ protocol, name }: { readonly protocol: string; readonly name: string }) {
  const [only = "", ...others] = patternsIn(name);
  if (only === "" || others.length > 0) throw invalidField("name", `"${name}" is not one name.`);
  return { protocol: protocolIn(protocol), name: only };
}

function patternsIn(text: string): readonly string[] {
  try {
    return parsePatterns(text);
  } catch (error) {
    if (!isTokenSettingError(error)) throw error;
    throw invalidField("name", `must be a name or a pattern: ${error.message}`);
  }
}
