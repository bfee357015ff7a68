import { createHash } from "node:crypto";
import { compressResponse } from "@sealhouse/http-responses";
import { Hono } from "hono";
import { BASE } from "./base.ts";
import { LAYOUT } from "./layout.ts";
import { PARTS } from "./parts.ts";
import { SCRIPT } from "./script.ts";
import { TOKENS } from "./tokens.ts";

const LAYERS = { tokens: TOKENS, base: BASE, layout: LAYOUT, parts: PARTS };
const STYLE = [
  `@layer ${Object.keys(LAYERS).join(", ")};`,
  ...Object.entries(LAYERS).map(([name, rules]) => `@layer ${name} {${rules}}`),
].join("\n");

/** Path of the stylesheet of all pages, below the registry's path. Changes with its content. */
export const STYLE_PATH = `/assets/console-${digestOf(STYLE)}.css`;
/** Path of the script of all pages, below the registry's path. Changes with its content. */
export const SCRIPT_PATH = `/assets/console-${digestOf(SCRIPT)}.js`;

const FILES = [
  { path: STYLE_PATH, text: STYLE, type: "text/css; charset=utf-8" },
  { path: SCRIPT_PATH, text: SCRIPT, type: "text/javascript; charset=utf-8" },
] as const;

/**
 * Serves the stylesheet and the script of all pages, also to anonymous callers. While instances of
 * two versions run, a page of one may ask the other for its files: it gets what the other has.
 */
export function createAssetsApp(): Hono {
  const app = new Hono();
  for (const { path, text, type } of FILES) {
    const [, ending] = /^.*(\.\w+)$/.exec(path) ?? [];
    app.get(`/assets/:file{console-[0-9a-f]+\\${ending}}`, (c) => {
      const isCurrent = c.req.path.endsWith(path);
      const response = new Response(text, {
        headers: {
          "content-type": type,
          "cache-control": isCurrent ? "public, max-age=31536000, immutable" : "no-store",
          "x-content-type-options": "nosniff",
        },
      });
      return compressResponse(c.req.raw, response);
    });
  }
  return app;
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
