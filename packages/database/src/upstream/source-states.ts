import type { SourceState, SourceStates } from "@sealhouse/upstream-sources";
import { inColumns } from "../statements/in-columns.ts";
import { param } from "../statements/kinds.ts";
import type { Queries } from "../statements/queries.ts";
import { defineStatement } from "../statements/statement.ts";

const ALL = defineStatement("source-states", {}, (db) =>
  db
    .selectFrom("source_states")
    .select([
      "key",
      "last_success_at",
      "last_error_at",
      "last_error",
      "recent_errors",
      "paused_until",
    ]),
);
const NOTE = defineStatement(
  "source-state-note",
  {
    key: param.text(64),
    lastSuccessAt: param.optional(param.time),
    lastErrorAt: param.optional(param.time),
    lastError: param.optional(param.longText),
    recentErrors: param.optional(param.longText),
    pausedUntil: param.optional(param.time),
  },
  (_db, parameters, own) => own.upsert("source_states", inColumns(parameters), ["key"]),
);

export function createSourceStates(queries: Queries): SourceStates {
  return {
    async all() {
      const rows = await queries.all(ALL, {});
      return new Map(
        rows.map((row) => [
          row.key,
          {
            ...(row.last_success_at && { lastSuccessAt: row.last_success_at }),
            ...(row.last_error_at && { lastErrorAt: row.last_error_at }),
            ...(row.last_error !== null && { lastError: row.last_error }),
            ...(row.recent_errors !== null && { recentErrors: errorsIn(row.recent_errors) }),
            ...(row.paused_until && { pausedUntil: row.paused_until }),
          },
        ]),
      );
    },
    async note(source, { recentErrors: errors, ...state }) {
      const { lastSuccessAt, lastErrorAt, lastError, pausedUntil } = state;
      const key = source.toLowerCase();
      const recentErrors = errors && JSON.stringify(errors);
      const values = { key, lastSuccessAt, lastErrorAt, lastError, recentErrors, pausedUntil };
      await queries.run(NOTE, values);
    },
  };
}

/** The database holds what `note` wrote. */
function errorsIn(text: string): NonNullable<SourceState["recentErrors"]> {
  const errors = JSON.parse(text) as readonly { readonly at: string; readonly words: string }[];
  return errors.map(({ at, words }) => ({ at: new Date(at), words }));
}
