import type { AdministrativeScope, LastingAction } from "@sealhouse/identity";
import type { Caller } from "@sealhouse/request-types";
import type { z } from "zod";
import type { AdministrationParts } from "./parts.ts";
import type { ActionRefusal } from "./refusal.ts";

/**
 * One action of administrators. Its HTTP route, OpenAPI operation, command and remote command are
 * made from this value.
 */
export type Action<
  Input extends z.ZodObject = z.ZodObject,
  Output extends z.ZodType = z.ZodType,
> = {
  /** `<group>.<verb>`, such as `rules.add`. */
  readonly id: string;
  /** One sentence in the imperative, without a full stop: "remove a rule". */
  readonly summary: string;
  /** A token needs this scope, or `admin`. */
  readonly scope: AdministrativeScope;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/api/admin/v1`. Fields in braces belong to the input. */
  readonly path: string;
  /** The words of the command, with fields of the input: `policy remove <id>`. */
  readonly command: string | readonly CommandForm[];
  /** The page with its form, or the reason why it has none. */
  readonly form: { readonly page: string } | ActionForm | { readonly none: string };
  readonly input: Input;
  readonly output: Output;
  /** Refusals besides `invalid`. */
  readonly refusals: readonly ActionRefusal[];
  /** A session confirms the action. Absent: it changes nothing. */
  readonly lasting?: LastingAction;
  /** It asks other servers and changes nothing, although it is not a `GET`. */
  readonly changesNothing?: true;
  /** Whether a narrower scope is not enough, because the input would give more than it allows. */
  needsAdmin?(input: z.output<Input>, parts: AdministrationParts): boolean | Promise<boolean>;
  /** Id of another action whose scope is enough, too: a job is shown to those who may start it. */
  alsoFor?(input: z.output<Input>, parts: AdministrationParts): Promise<string | undefined>;
  /** It can list what it would do: `?dry-run=true` and `--dry-run`. */
  readonly hasDryRun?: true;
  /** It may last longer than a request: the API starts a job, and answers with its id. */
  readonly isLong?: true;
  /** A dry run of a long action may last as long. */
  readonly hasLongDryRun?: true;
  /** Its command lists by default, and acts with `--apply`. */
  readonly listsByDefault?: true;
  /** Whether settings make a call a dry run that asks for none of both. Absent: `false`. */
  readonly dryRunDefault?: (parts: AdministrationParts) => boolean;
  /** The action that reads the row which this one changes; `If-Match` has its entity tag. */
  readonly changes?: string;
  /** Fields of the output that change by themselves, and do not count for its entity tag. */
  readonly volatile?: readonly string[];
  /** The text that confirms a change, made of its dry run. Absent: nothing ends. */
  ending?(planned: z.output<Output>): Ending | undefined;
  /** The text that confirms a change of an action without a dry run. */
  preview?(asked: Asked<z.output<Input>>): Promise<Ending | undefined>;
  /**
   * Does it.
   *
   * @throws RefusedActionError
   */
  run(asked: Asked<z.output<Input>>): Promise<z.input<Output>>;
};

/** One of several commands of an action, which sets some of its fields. */
export type CommandForm = {
  readonly words: string;
  readonly summary: string;
  readonly sets: Readonly<Record<string, unknown>>;
  /** Id of the print of its output. Absent: that of the action. */
  readonly print?: string;
};

/** A form that a page makes of the action. Paths have fields of the input in braces. */
export type ActionForm = {
  /** Path of the form, such as `/administration/publish-targets/{name}/pause`. */
  readonly page: string;
  /** Text of the button. */
  readonly button: string;
  /** The sentence after the change. Absent: the page shows the output, such as a secret. */
  readonly done?: string;
  /** Path of the page after the change; it may have fields of the output. Absent: the parent. */
  readonly after?: string;
  /** Common values, which a link on the form fills in. */
  readonly presets?: readonly FormPreset[];
};

/** Common values of a form. */
export type FormPreset = {
  readonly name: string;
  readonly title: string;
  readonly values: Readonly<Record<string, string>>;
};

/** The end that an action brings. A page asks again when it changes while the page is read. */
export type Ending = {
  /** A question, such as `Remove the source npmjs?`. */
  readonly title: string;
  /** Sentences about what ends and what stays, with counts. */
  readonly ends: readonly string[];
  /** Sentences that may change at any time, such as when something was last used. */
  readonly remarks?: readonly string[];
  /** Text of the button, such as `Remove the source`. */
  readonly button: string;
  /** A text that the person types first: the name of what ends with all that it has. */
  readonly typed?: string;
};

const NAMES_SHOWN = 10;

/** Up to ten names of what ends: `web, mobile and 3 more`. */
export function namesOf(names: readonly string[]): string {
  const hidden = names.length - NAMES_SHOWN;
  const shown = names.slice(0, NAMES_SHOWN).join(", ");
  return hidden > 0 ? `${shown} and ${hidden} more` : shown;
}

/** A call of an action: never a request. */
export type Asked<Input> = {
  readonly input: Input;
  readonly parts: AdministrationParts;
  readonly caller: Caller;
  readonly now: Date;
  /** Aborts when the caller left, or the process ends. */
  readonly signal: AbortSignal;
  /** Lists what it would do, and changes nothing. Only where the action has `hasDryRun`. */
  readonly isDryRun: boolean;
  /** A user of the registry's machine asks, with a command there: it may name files. */
  readonly isOnMachine?: true;
  /**
   * Takes a line about the progress of a long action, for the person who waits. A command prints
   * it; a job keeps the last one.
   */
  readonly report?: (line: string) => void;
};

/** Describes an action; the types of input and output follow from its schemas. */
export function defineAction<Input extends z.ZodObject, Output extends z.ZodType>(
  action: Action<Input, Output>,
): Action<Input, Output> {
  return action;
}

/** Whether a call of an action runs as a job. Undefined: the settings decide about a dry run. */
export function isJob(
  { isLong, hasLongDryRun }: Pick<Action, "isLong" | "hasLongDryRun">,
  isDryRun: boolean | undefined,
): boolean {
  return isLong === true && (isDryRun !== true || hasLongDryRun === true);
}

/** Whether a call is a dry run. `isDryRun`: what it asks for. */
export function dryRunOf(
  { dryRunDefault }: Pick<Action, "dryRunDefault">,
  isDryRun: boolean | undefined,
  parts: AdministrationParts,
): boolean {
  return isDryRun ?? dryRunDefault?.(parts) ?? false;
}

/** Fields of the path, in order. */
export function pathFields({ path }: Pick<Action, "path">): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}
