import type { DatabaseOptions } from "./database-options.ts";
import type { Changes } from "./transactions/changes.ts";
import type { Connections } from "./transactions/connections.ts";

/** Parts that every port reads and writes with. */
export type PortContext = Pick<Connections, "type" | "port" | "queries"> & {
  readonly changes: Changes;
  readonly options: DatabaseOptions;
  /** Returns when the history begins, for a request as of a time. */
  readonly beginning: (time: Date) => Promise<Date | undefined>;
};
