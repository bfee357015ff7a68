#!/usr/bin/env node
// The program. An older Node cannot load the other modules, so this one imports nothing before it
// has compared the version with `engines` of package.json. Its syntax is that of Node 14.

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 22 || (major === 22 && minor >= 15)) {
  await import("./run-process.ts");
} else {
  const { node } = process.versions;
  process.stderr.write(`Sealhouse needs Node 22.15 or newer; this is Node ${node}.\n`);
  process.exitCode = 1;
}
