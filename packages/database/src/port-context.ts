import type { DatabaseConfig } from "./connection-string.ts";
import type { DatabaseOptions } from "./database-options.ts";
import type { QueryPort } from "./raw/query-port.ts";
import type { Queries } from "./statements/queries.ts";
import type { Changes } from "./transactions/changes.ts";

/** Parts that every port reads and writes with. */
export type PortContext = {
  readonly type: DatabaseConfig["type"];
  readonly port: QueryPort;
  /** Executes typed statements, each in its own transaction. */
  readonly queries: Queries;
  readonly changes: Changes;
  readonly options: DatabaseOptions;
  /** Returns when the history begins, for a request as of a time. */
  readonly beginning: (time: Date) => Promise<Date | undefined>;
};
