import { GROUPS } from "@sealhouse/administration";
import type { HostActions } from "@sealhouse/command-line/running";
import { databasePlace } from "../running-hosts.ts";
import type { Core } from "../wiring/core.ts";
import type { Administration } from "../wiring/pages/pages-core.ts";

/** The actions of administrators for commands of the user of the host. */
export function commandActionsOf(
  { config, now, log }: Core,
  { parts }: Pick<Administration, "parts">,
): HostActions {
  return {
    async do({ action: id, input, isDryRun: typed, actor }, signal, report) {
      // Loads the schemas.
      const { dryRunOf, runAction } = await import("@sealhouse/administration/inputs");
      const actions = (await GROUPS[id.split(".")[0] ?? ""]?.load()) ?? [];
      const action = actions.find((one) => one.id === id);
      if (!action) throw new Error(`There is no action ${id}.`);
      const remarks = new Set<string>();
      const own = {
        ...parts,
        // A token is valid only where it was written.
        pepper: () => {
          remarks.add(`Database: ${databasePlace(config.database, process.cwd())}.`);
          return parts.pepper();
        },
      };
      const checked = action.input.parse(input);
      const asked = { input: checked, parts: own, caller: { actor }, now: now(), signal };
      const isDryRun = dryRunOf(action, typed, own);
      const output = await runAction(action, { ...asked, isDryRun, report, isOnMachine: true });
      for (const remark of remarks) report(remark);
      return output;
    },
    failed: (error) => log.error({ err: error }, "an action of a command failed"),
  };
}
