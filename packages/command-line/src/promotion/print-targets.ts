import type {
  AddedTarget,
  ShownTarget,
  SwitchedTarget,
  TestedTarget,
} from "@sealhouse/administration";
import { printOf } from "../actions/print.ts";
import { printableLine } from "../printable.ts";

/** Prints registries that packages are published to. */
export const TARGET_PRINTS = {
  "targets.add": printOf<AddedTarget>({
    text({ name, warning }, { stderr }) {
      if (warning !== undefined) stderr(warning);
      stderr(`Added the target ${name}.`);
      stderr(`To test it: sealhouse target test ${name}`);
    },
  }),
  "targets.list": printOf<{ readonly items: readonly ShownTarget[] }>({
    text({ items }, { stdout, stderr }) {
      for (const target of items) stdout(lineOf(target));
      if (items.length === 0) stderr("There are no targets: sealhouse target add");
    },
  }),
  "targets.show": printOf<ShownTarget>({
    text: (target, { stdout }) => stdout(lineOf(target)),
  }),
  "targets.test": printOf<TestedTarget>({
    text({ target, probe, steps = [], packages = [] }, { stdout, stderr }) {
      for (const { step, outcome, words } of steps.slice(0, -1)) {
        stderr(printableLine(`${step}: ${outcome}. ${words}`));
      }
      if (probe) stdout(printableLine(`${target}: ${probe.status}. ${probe.words}`));
      for (const { member, status, words } of packages) {
        stdout(printableLine(`${target}: ${member}: ${status}. ${words}`));
      }
    },
    json: ({ probe, packages }) => packages ?? probe,
    code: ({ probe, packages }) => ((packages ?? (probe ? [probe] : [])).every(isTaken) ? 0 : 1),
  }),
  "targets.pause": printOf<SwitchedTarget>({
    text({ name, isChanged }, { stderr }) {
      stderr(isChanged ? `Paused the target ${name}.` : `The target ${name} is paused already.`);
    },
  }),
  "targets.resume": printOf<SwitchedTarget>({
    text({ name, isChanged }, { stderr }) {
      stderr(isChanged ? `Resumed the target ${name}.` : `The target ${name} is not paused.`);
    },
  }),
  "targets.replace-token": printOf<ShownTarget>({
    text: ({ name }, { stderr }) => stderr(`Replaced the token of the target ${name}.`),
  }),
  "targets.remove": printOf<{ readonly name: string }>({
    text: ({ name }, { stderr }) => stderr(`Removed the target ${name}.`),
  }),
};

function isTaken({ status }: NonNullable<TestedTarget["probe"]>): boolean {
  return status === "ready" || status === "unproven";
}

function lineOf(target: ShownTarget): string {
  const { name, protocol, endpoint, credentials, expiresAt, pauseReason, usedBy } = target;
  const { lastSuccessAt } = target;
  const parts = [
    name,
    protocol,
    endpoint,
    `credentials: ${credentials}`,
    ...(expiresAt === undefined ? [] : [`expire ${expiresAt}`]),
    ...(pauseReason === undefined ? [] : [`paused: ${pauseReason}`]),
    ...(lastSuccessAt === undefined ? [] : [`last success ${lastSuccessAt}`]),
    usedBy.length > 0 ? `used by ${usedBy.join(", ")}` : "not used",
  ];
  return printableLine(parts.join("  "));
}
