import { isObject } from "../manifest/descriptor.ts";

export type Json = Readonly<Record<string, unknown>>;

/** An object, or undefined for whatever else it is. */
export function parseJson(text: string | Uint8Array): Json | undefined {
  try {
    const value: unknown = JSON.parse(
      typeof text === "string" ? text : Buffer.from(text).toString(),
    );
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function objectIn(json: Json | undefined, field: string): Json | undefined {
  const value = json?.[field];
  return isObject(value) ? value : undefined;
}

export function listIn(json: Json | undefined, field: string): readonly unknown[] {
  const value = json?.[field];
  return Array.isArray(value) ? value : [];
}

export function textIn(json: Json | undefined, field: string): string | undefined {
  const value = json?.[field];
  return typeof value === "string" ? value : undefined;
}
