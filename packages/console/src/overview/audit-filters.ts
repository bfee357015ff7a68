import { RefusedActionError, timeIn } from "@sealhouse/administration";
import type { FormField } from "../kit/forms/form-fields.ts";
import type { FieldProblem } from "../kit/forms/form-fields.ts";
import type { AuditFilters } from "./overview-sources.ts";

/** Types of events about requests and work that did not succeed. */
const REFUSED = ["access.refused", "user.refused"];
const FAILED = ["promotion.failed", "syndication.failed", "blob.damaged"];

/** Fields of the form with the filters. */
export const AUDIT_FIELDS: readonly FormField[] = [
  { name: "actor", label: "Who", kind: "text", help: "A user, a token or system", lengthMax: 255 },
  {
    name: "subject",
    label: "Name",
    kind: "text",
    help: "Such as npm/@acme/app, or npm/@acme/*",
    lengthMax: 500,
  },
  { name: "address", label: "From", kind: "text", help: "A network address", lengthMax: 64 },
  { name: "type", label: "Type", kind: "text", help: "Such as token.* or package.published" },
  {
    name: "outcome",
    label: "Outcome",
    kind: {
      choices: [
        { value: "", text: "All" },
        { value: "refused", text: "Refused" },
        { value: "failed", text: "Failed" },
      ],
    },
  },
  { name: "since", label: "Since", kind: "text", help: "24h, 7d or 2027-01-31", lengthMax: 40 },
  { name: "until", label: "Until", kind: "text", help: "24h, 7d or 2027-01-31", lengthMax: 40 },
];

/** The names of the filters in a query; `token` comes from the page of a token. */
export const AUDIT_NAMES = [...AUDIT_FIELDS.map(({ name }) => name), "token"];

/** Reads the filters of a query, and the problems of its texts. */
export function filtersIn(
  query: URLSearchParams,
  { now, types: known }: { readonly now: Date; readonly types: readonly string[] },
): { readonly filters: AuditFilters; readonly problems: readonly FieldProblem[] } {
  const problems: FieldProblem[] = [];
  const textOf = (name: string) => query.get(name)?.trim() ?? "";
  const timeOf = (name: string): Date | undefined => {
    const text = textOf(name);
    try {
      return text === "" ? undefined : timeIn(name, text, now);
    } catch (error) {
      if (!(error instanceof RefusedActionError)) throw error;
      problems.push({ name, words: "must be a span such as 24h or 30d, or a date" });
      return undefined;
    }
  };
  const types = typesIn(textOf("type"), textOf("outcome"), known);
  if (types?.length === 0) problems.push({ name: "type", words: "names no type of events" });
  const given = { since: timeOf("since"), until: timeOf("until"), types };
  const texts = {
    actor: textOf("actor"),
    tokenId: textOf("token"),
    address: textOf("address"),
    subject: textOf("subject"),
  };
  const filters = Object.fromEntries(
    [...Object.entries(given), ...Object.entries(texts)].filter(
      ([, value]) => value !== undefined && value !== "",
    ),
  );
  return { filters, problems };
}

/** Undefined: all types. */
function typesIn(
  text: string,
  outcome: string,
  known: readonly string[],
): readonly string[] | undefined {
  const wanted = outcome === "refused" ? REFUSED : outcome === "failed" ? FAILED : undefined;
  if (text === "") return wanted;
  const patterns = text.split(",").map((word) => word.trim());
  const named = known.filter((type) =>
    patterns.some((pattern) =>
      pattern.endsWith("*") ? type.startsWith(pattern.slice(0, -1)) : type === pattern,
    ),
  );
  return wanted ? named.filter((type) => wanted.includes(type)) : named;
}
