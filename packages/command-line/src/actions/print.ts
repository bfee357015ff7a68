import type { ProcessContext } from "../command.ts";

/** Where the output of an action is printed, and how it was asked for. */
export type PrintPlace = Pick<ProcessContext, "stdout" | "stderr"> & {
  readonly input: Readonly<Record<string, unknown>>;
  readonly isDryRun: boolean;
};

/** The machine of a command, for what it does with an output. */
export type PrepareContext = Pick<ProcessContext, "workingFolder"> & {
  readonly input: Readonly<Record<string, unknown>>;
  /** The value of the option. */
  readonly option: string;
};

/** Prints the output of an action. */
export type Print<Output = unknown> = {
  /** An option of the command that no action has, because it concerns this machine. */
  readonly option?: { readonly flags: string; readonly help: string };
  /** A former option for `--apply`. */
  readonly formerApply?: string;
  /** A former last word of the command. */
  readonly formerWord?: string;
  /** Does something with the output and the option on this machine; its result is printed. */
  prepare?(output: unknown, context: PrepareContext): Promise<Output>;
  /** Absent: the output is printed as JSON. */
  text?(output: Output, place: PrintPlace): void;
  /** Prints each page of a list by itself, to its end. Absent: the list is printed at once. */
  page?(output: Output, place: PrintPlace): void;
  /** The exit code. Absent: 0. */
  code?(output: Output): number;
  /**
   * The output that `--json` prints; undefined: nothing. Absent: the output of the action, or the
   * items of a list.
   */
  json?(output: Output): unknown;
};

/** Prints by id of the action. */
export type Prints = Readonly<Record<string, Print | undefined>>;

/** Types the print of an action by its output. */
export function printOf<Output>(print: Print<Output>): Print {
  return print;
}
