import type { ListedSettings, ShownHealth } from "@sealhouse/administration";
import { printOf } from "./actions/print.ts";

/** Prints settings and the state of the host. */
export const CONFIG_PRINTS = {
  "config.show": printOf<ListedSettings>({
    text({ items, warnings }, { stdout, stderr }) {
      for (const { key, value = "", source } of items) stdout(`${key} = ${value}  (${source})`);
      for (const warning of warnings) stderr(`Warning: ${warning}`);
    },
  }),
  "config.health": printOf<ShownHealth>({
    text: ({ isReady, detail }, { stdout }) => stdout(isReady ? "healthy" : `unhealthy: ${detail}`),
    code: ({ isReady }) => (isReady ? 0 : 1),
  }),
};
