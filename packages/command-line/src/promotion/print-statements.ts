import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ExportedRelease } from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import { CommandError } from "../command.ts";

/** Writes the statements in the forms that stock verifiers take. */
export const exportPrint = printOf<{ readonly id: string; readonly folder: string }>({
  option: { flags: "--out <folder>", help: "folder of the files" },
  async prepare(output, { option, workingFolder }) {
    const { id, statement, outcome } = output as ExportedRelease;
    const { statementFiles } = await import("@sealhouse/promotion");
    const folder = resolve(workingFolder, option);
    await mkdir(folder, { recursive: true });
    const ofOutcome = outcome ? statementFiles(outcome, "outcome") : [];
    for (const [name, text] of [...statementFiles(statement), ...ofOutcome]) {
      await writeFile(join(folder, name), text);
    }
    return { id, folder };
  },
  text: ({ id, folder }, { stderr }) =>
    stderr(`Wrote the statement of the release ${id} to ${folder}.`),
});

type Verdict =
  | { readonly status: "valid"; readonly keyId: string; readonly state?: string }
  | { readonly status: "invalid"; readonly reason: string };
type Verdicts = Verdict & { readonly outcome?: Verdict | undefined };

/** Checks the statements with the key of a file. Exit codes: 0 valid; 1 not. */
export const verifyPrint = printOf<Verdicts>({
  option: { flags: "--key <file>", help: "PEM file with the public key" },
  async prepare(output, { option, workingFolder }) {
    const { id, statement, outcome } = output as ExportedRelease;
    const { verifyOutcome, verifyReleaseStatement } = await import("@sealhouse/promotion");
    const path = resolve(workingFolder, option);
    const pinned = await readFile(path, "utf8").catch((error: unknown) => {
      throw new CommandError(`--key: cannot read ${option}`, { cause: error });
    });
    const verdict = verifyReleaseStatement(statement, { id, pinned });
    return { ...verdict, outcome: outcome && verifyOutcome(outcome, { statement, pinned }) };
  },
  text({ outcome, ...verdict }, { stdout, stderr }) {
    for (const [name, of] of Object.entries({ statement: verdict, outcome })) {
      if (!of) stderr("outcome: the release has none yet");
      else if (of.status === "invalid") stderr(`${name}: invalid: ${of.reason}`);
      else {
        const state = of.state === undefined ? "" : `${of.state}, `;
        stdout(`${name}: ${state}valid, signed with ${of.keyId}`);
      }
    }
  },
  code: ({ status, outcome }) => (status === "valid" && outcome?.status !== "invalid" ? 0 : 1),
});
