// Preloaded into Verdaccio's suite: its test `package-names` publishes four new names in one go, two of
// which this registry refuses. The other two must still be tested.
import { registerHooks } from "node:module";

const CHANGES = [
  ["`JSONStream-${id}`", "`jsonstream-${id}`"],
  [", `-x-${id}`]", "]"],
];

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!url.endsWith("/tests/package-names.js")) return loaded;
    const source = CHANGES.reduce(
      (text, [from, to]) => {
        if (!text.includes(from)) throw new Error(`the suite no longer has ${from}`);
        return text.replace(from, to);
      },
      Buffer.from(loaded.source ?? "").toString(),
    );
    return { ...loaded, source };
  },
});
