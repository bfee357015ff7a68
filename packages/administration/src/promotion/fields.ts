import { z } from "zod";
import { field } from "../field.ts";
import type { FieldTexts } from "../field.ts";

type More = Omit<FieldTexts, "label" | "help">;

/** Characters of the names of targets, groups and syndications. */
export const NAME_MAX = 64;

export const textField = (max: number, label: string, help: string, more: More = {}) =>
  field(z.string().max(max), label, help, more);

export const optionalText = (max: number, label: string, help: string, more: More = {}) =>
  field(z.string().max(max).optional(), label, help, more);

export const flag = (label: string, help: string, more: More = {}) =>
  field(z.boolean().optional(), label, help, more);

/** A name in the path of an action. */
export const nameField = (label: string) =>
  textField(NAME_MAX, label, `The name of the ${label.toLowerCase()}.`);

/** Targets of a release; absent: those that it has anyway. */
export const ONLY_TARGETS = field(
  z.array(z.string().max(NAME_MAX)).min(1).max(200).optional(),
  "Targets",
  "Only these targets.",
  { option: "--target <names...>" },
);

/** Keys that a pipeline lends, by the names of targets. */
export const LEND = field(
  z
    .record(z.string().min(1).max(NAME_MAX), z.string().min(1).max(20_000))
    .refine((keys) => Object.keys(keys).length <= 100, "must have at most 100 keys")
    .optional(),
  "Lent keys",
  "TARGET=KEY, a short-lived key for this release alone. A command takes TARGET=VARIABLE.",
  { option: "--lend <loans...>", isSecret: true },
);

/** Keys as a release takes them. */
export function loansOf(lend: Readonly<Record<string, string>> = {}) {
  return Object.entries(lend).map(([target, secret]) => ({ target, secret }));
}

/** Returns the entry with a name; letter case does not matter. */
export function named<Entry extends { readonly name: string }>(
  all: readonly Entry[],
  name: string,
): Entry | undefined {
  return all.find((one) => one.name.toLowerCase() === name.toLowerCase());
}
