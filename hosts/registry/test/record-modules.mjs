// Preloaded into a host: writes the addresses of the modules it loaded to a file when it exits.
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { env } from "node:process";

const loaded = new Set();
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    loaded.add(resolved.url);
    return resolved;
  },
});
process.once("exit", () => writeFileSync(env.LOADED_MODULES ?? "", [...loaded].join("\n")));
