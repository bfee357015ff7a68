import { PROTOCOLS, VISIBILITIES } from "@sealhouse/identity";
import type { OwnableName } from "@sealhouse/identity";
import { z } from "zod";
import { defineAction } from "../action.ts";
import { field } from "../field.ts";
import { PAGE_FIELDS, pageOf, pageSchema } from "../paging.ts";
import { absent, RefusedActionError } from "../refusal.ts";
import { PROTOCOL } from "./name-fields.ts";

const SCOPE = "people:write";
const ON_PAGE = { page: "/manage/{protocol}/{name}" };

const NAME = field(z.string().max(270), "Name", "A name with its protocol: npm:@acme/bar.", {
  example: "npm:@acme/bar",
});

const VISIBILITY = z
  .strictObject({ protocol: PROTOCOL, name: z.string(), visibility: z.enum(VISIBILITIES) })
  .meta({ id: "Visibility", title: "Who may see a name" });

/** The visibility of a name as the API and commands show it. */
export type ShownVisibility = z.output<typeof VISIBILITY>;

const listVisibilities = defineAction({
  id: "visibility.list",
  summary: "list the names that are not public",
  scope: SCOPE,
  method: "GET",
  path: "/visibilities",
  command: "visibility list",
  form: { none: "The page of hidden names does not exist yet." },
  input: z.strictObject(PAGE_FIELDS),
  output: pageSchema(VISIBILITY),
  refusals: [],
  async run({ input, parts }) {
    const { visibilities } = await parts.names();
    const lists = PROTOCOLS.map(async (protocol) =>
      (await visibilities.list(protocol)).map(({ name, visibility }) => ({
        protocol,
        name,
        visibility,
      })),
    );
    const names = (await Promise.all(lists)).flat();
    // The order of the protocols, and that of the names.
    const keyOf = ({ protocol, name }: ShownVisibility) => `${PROTOCOLS.indexOf(protocol)} ${name}`;
    return pageOf(names, input, keyOf);
  },
});

const showVisibility = defineAction({
  id: "visibility.show",
  summary: "show who may see a name",
  scope: SCOPE,
  method: "GET",
  path: "/visibilities/{name}",
  command: "visibility show <name>",
  form: ON_PAGE,
  input: z.strictObject({ name: NAME }),
  output: VISIBILITY,
  refusals: [],
  async run({ input, parts }) {
    const { protocol, name } = nameWithProtocol(input.name);
    const { visibilities } = await parts.names();
    const hidden = await visibilities.find(protocol, name);
    return { protocol, name, visibility: hidden?.visibility ?? ("public" as const) };
  },
});

const SET = VISIBILITY.extend({ outcome: z.enum(["set", "unchanged"]) });

/** The visibility that a name has now. */
export type SetVisibility = z.output<typeof SET>;

const setVisibility = defineAction({
  id: "visibility.set",
  summary: "make a name private, internal or public: npm:@acme/bar private",
  scope: SCOPE,
  method: "PUT",
  path: "/visibilities/{name}",
  command: "visibility set <name> <visibility>",
  form: ON_PAGE,
  input: z.strictObject({
    name: NAME,
    visibility: field(z.enum(VISIBILITIES), "Visibility", "private, internal or public."),
  }),
  output: SET,
  refusals: ["absent"],
  lasting: "publish-name",
  changes: "visibility.show",
  async run({ input, parts, caller: by }) {
    const { visibility } = input;
    const { protocol, name } = nameWithProtocol(input.name);
    const { visibilities } = await parts.names();
    const outcome = await visibilities.set(protocol, name, { visibility, by });
    if (outcome === "absent") {
      throw absent(`There is no ${protocol} package or repository with the name ${name}.`);
    }
    return { protocol, name, visibility, outcome };
  },
});

/** Who may see names. */
export const VISIBILITY_ACTIONS = [listVisibilities, showVisibility, setVisibility];

/** @throws RefusedActionError */
function nameWithProtocol(text: string): OwnableName {
  const [, word, name] = /^(\w+):(.+)$/s.exec(text) ?? [];
  const protocol = PROTOCOLS.find((known) => known === word);
  if (protocol && name !== undefined) return { protocol, name };
  throw new RefusedActionError(
    "invalid",
    `"${text}" is not a name with its protocol: npm:@acme/bar, nuget:Acme.Core or oci:team/app`,
  );
}
