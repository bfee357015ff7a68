import { declaredLength, errorCodeOf, readBody } from "@sealhouse/http-responses";
import type { Context } from "hono";
import type { z } from "zod";
import type { Action } from "../action.ts";
import { pathFields } from "../action.ts";
import { inputOfTexts } from "../field.ts";
import type { FieldValues } from "../field.ts";
import { problemsOf } from "../issue-words.ts";
import { escaped, RefusedRequestError } from "./problem.ts";

/** Longer than any input: a certificate chain, a list of names. */
export const BODY_BYTES_MAX = 256 * 1024;
const DRY_RUN = "dry-run";

/** The input of a request, checked by the schema of the action. */
export type ReadInput = {
  readonly input: Record<string, unknown>;
  /** Undefined: the request does not tell. */
  readonly isDryRun: boolean | undefined;
};

/**
 * Reads path, query and body. Reads and removals have their fields in the query, other actions in
 * a JSON body.
 *
 * @throws RefusedRequestError
 */
export async function readInput(action: Action, c: Context): Promise<ReadInput> {
  const { [DRY_RUN]: dryRun, ...query } = queryOf(c);
  const isDryRun = dryRunIn(dryRun, action);
  const path = Object.fromEntries(pathFields(action).map((name) => [name, c.req.param(name)]));
  const inQuery = action.method === "GET" || action.method === "DELETE";
  if (!inQuery && Object.keys(query).length > 0) throw inWrongPlace(Object.keys(query));
  const given = inQuery ? inputOfTexts(action.input, query) : await bodyOf(c);
  const twice = Object.keys(path).filter((name) => Object.hasOwn(given, name));
  if (twice.length > 0) throw inWrongPlace(twice);
  return { input: checkedInput(action.input, { ...given, ...path }), isDryRun };
}

function checkedInput(schema: z.ZodObject, given: Record<string, unknown>) {
  const checked = schema.safeParse(given, { reportInput: true });
  if (checked.success) return checked.data;
  const errors = problemsOf(checked.error).map(({ path, words }) => ({
    pointer: `#/${path.map(escaped).join("/")}`,
    detail: words,
  }));
  const shown = errors.map(({ pointer, detail }) => `${pointer.slice(2)} ${detail}`).join(" ");
  throw new RefusedRequestError("invalid", shown, { errors });
}

function queryOf(c: Context): FieldValues {
  const { searchParams } = new URL(c.req.url);
  const names = [...new Set(searchParams.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const values = searchParams.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

function dryRunIn(text: FieldValues[string], { hasDryRun }: Action): boolean | undefined {
  if (text === undefined) return undefined;
  if (text === "false") return false;
  if (text !== "true") throw malformed("dry-run is true or false.");
  if (hasDryRun) return true;
  throw malformed("This action has no dry run. Leave dry-run out; nothing was changed.");
}

async function bodyOf(c: Context): Promise<Record<string, unknown>> {
  const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  const isStreamed = c.req.header("transfer-encoding") !== undefined;
  if (type === undefined && !isStreamed && (declaredLength(c) ?? 0) === 0) return {};
  if (type !== "application/json") {
    throw new RefusedRequestError("not-json", "Send the fields as JSON: application/json.");
  }
  const body = await textOf(c);
  const value = parsed(body);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    // A name such as `__proto__` stays a field, which no schema knows.
    return value as Record<string, unknown>;
  }
  throw malformed("The body must be a JSON object with the fields of the action.");
}

async function textOf(c: Context): Promise<string> {
  try {
    return (await readBody(c, BODY_BYTES_MAX)).toString();
  } catch (error) {
    if (errorCodeOf(error) !== "body-too-large") throw error;
    const most = `The body may have ${BODY_BYTES_MAX / 1024} KiB.`;
    throw new RefusedRequestError("too-large", most);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch (error) {
    throw malformed(`The body is not JSON: ${(error as Error).message}`);
  }
}

function malformed(message: string): RefusedRequestError {
  return new RefusedRequestError("malformed", message);
}

function inWrongPlace(names: readonly string[]): RefusedRequestError {
  const errors = names.map((name) => ({
    pointer: `#/${escaped(name)}`,
    detail: "belongs to another part of the request.",
  }));
  return new RefusedRequestError(
    "invalid",
    `Not expected here: ${names.join(", ")}. Fields of the path belong to the path only; ` +
      "those of a change belong to the body.",
    { errors },
  );
}
