// A process that only reads, and prints the modules that it loaded: <config as JSON>
import { registerHooks } from "node:module";
import { argv, stdout } from "node:process";

const loaded = new Set<string>();
registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context);
    loaded.add(resolved.url);
    return resolved;
  },
});

const { openDatabase } = await import("../open-database.ts");
const database = await openDatabase(JSON.parse(argv[2] ?? ""));
await database.documents.read("x");
await database.tokens.findByPrefix("x");
await database.nuget.lookup.find("acme", "1.0.0");
await database.npm.lookup.tarball("acme", "1.0.0");
await database.events.outbox.pending("audit", 10);
await database.ping();
await database[Symbol.asyncDispose]();
const heavy = [...loaded].filter((url) => /mikro-orm/.test(url));
stdout.write(`${JSON.stringify(heavy)}\n`);
