import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import type { NamedBlob } from "../stored-package.ts";
import type { NewSymbolPackage, SymbolFile } from "../symbols/ports.ts";
import type { CatalogPorts, ContractTest } from "./contract-test.ts";
import { newPackage, testCaller } from "./new-package.ts";

/** Symbol packages and their files. */
export const symbolCases: readonly ContractTest[] = [
  {
    name: "knows no symbols of a version that has none",
    async run(ports) {
      await publish(ports, "Acme", "1.0.0");
      assert.deepEqual(await ports.symbols.find("acme.pdb", keyOf("one")), []);
      assert.equal(await ports.symbols.findPackage("acme", "1.0.0"), undefined);
    },
  },
  {
    name: "takes no symbols for a version that is not there",
    async run(ports) {
      await publish(ports, "Acme", "1.0.0");
      for (const version of ["1.0.1", "1.0.0-beta"]) {
        const symbolPackage = symbolsOf("acme", version, [fileOf("acme.pdb", "one")]);
        assert.deepEqual(await ports.symbols.record(symbolPackage, testCaller), {
          status: "absent",
        });
      }
      assert.deepEqual(await ports.symbols.find("acme.pdb", keyOf("one")), []);
    },
  },
  {
    name: "gives back a symbol package and each of its files by name and key",
    async run(ports) {
      await publish(ports, "Acme.Widgets", "1.2.3-Beta");
      const files = [fileOf("acme.widgets.pdb", "one"), fileOf("acme.widgets.pdb", "two")];
      const symbolPackage = symbolsOf("acme.widgets", "1.2.3-beta", files);
      assert.deepEqual(await ports.symbols.record(symbolPackage, testCaller), recorded());

      const version = { id: "acme.widgets", version: "1.2.3-beta" };
      assert.deepEqual(
        await ports.symbols.findPackage(version.id, version.version),
        symbolPackage.blob,
      );
      for (const file of files) {
        const storedFiles = await ports.symbols.find("acme.widgets.pdb", file.symbolKey);
        assert.deepEqual(storedFiles, [{ ...file, ...version }]);
      }
      assert.deepEqual(await ports.symbols.find("other.pdb", keyOf("one")), []);
      assert.deepEqual(await ports.symbols.find("acme.widgets.pdb", keyOf("three")), []);
    },
  },
  {
    name: "lets a later symbol package of a version take the place of the earlier one",
    async run(ports) {
      await publish(ports, "Acme", "1.0.0");
      const [keptFile, gone] = [fileOf("kept.pdb", "kept"), fileOf("gone.pdb", "gone")];
      await ports.symbols.record(symbolsOf("acme", "1.0.0", [keptFile, gone], "first"), testCaller);
      const later = symbolsOf(
        "acme",
        "1.0.0",
        [again(keptFile), fileOf("new.pdb", "new")],
        "second",
      );
      const outcome = await ports.symbols.record(later, testCaller);
      assert.deepEqual(outcome, recorded(again(keptFile).blob.key));

      assert.deepEqual(await ports.symbols.findPackage("acme", "1.0.0"), later.blob);
      assert.deepEqual(await ports.symbols.find("gone.pdb", keyOf("gone")), []);
      assert.equal((await ports.symbols.find("new.pdb", keyOf("new"))).length, 1);
      const [storedFile] = await ports.symbols.find("kept.pdb", keyOf("kept"));
      assert.deepEqual(storedFile?.blob, keptFile.blob);
    },
  },
  {
    name: "lets go of bytes that no symbol package names any more, and keeps the others",
    async run(ports) {
      await publish(ports, "Acme", "1.0.0");
      await publish(ports, "Acme", "2.0.0");
      const [own, both] = [fileOf("own.pdb", "own"), fileOf("both.pdb", "both")];
      await ports.symbols.record(symbolsOf("acme", "1.0.0", [own, both], "first"), testCaller);
      await ports.symbols.record(symbolsOf("acme", "2.0.0", [again(both)]), testCaller);
      await ports.symbols.record(symbolsOf("acme", "1.0.0", [], "second"), testCaller);

      const back = symbolsOf("acme", "1.0.0", [again(own), again(both)], "first");
      const outcome = await ports.symbols.record(back, testCaller);
      // Discarded symbols have no row of which others could be duplicates.
      assert.deepEqual(outcome, recorded(again(both).blob.key));
      assert.deepEqual(
        (await ports.symbols.find("own.pdb", keyOf("own")))[0]?.blob,
        again(own).blob,
      );
    },
  },
  {
    name: "gives every package that holds a PDB, the oldest first, under one copy of its bytes",
    async run(ports) {
      const pdb = fileOf("shared.pdb", "shared");
      for (const [id, file] of [
        ["first", pdb],
        ["second", again(pdb)],
      ] as const) {
        await publish(ports, id, "1.0.0");
        await ports.symbols.record(symbolsOf(id, "1.0.0", [file]), testCaller);
      }
      const storedFiles = await ports.symbols.find("shared.pdb", keyOf("shared"));
      assert.deepEqual(
        storedFiles.map(({ id }) => id),
        ["first", "second"],
      );
      assert.ok(storedFiles.every(({ blob }) => blob.key === pdb.blob.key));
    },
  },
  {
    name: "keeps one copy of bytes that a symbol package holds twice",
    async run(ports) {
      await publish(ports, "Acme", "1.0.0");
      const file = fileOf("one.pdb", "same");
      const files = [file, { ...again(file), fileName: "two.pdb" }];
      const outcome = await ports.symbols.record(symbolsOf("acme", "1.0.0", files), testCaller);
      assert.deepEqual(outcome.status === "recorded" && outcome.duplicates.length, 1);
      const [storedFile] = await ports.symbols.find("one.pdb", keyOf("same"));
      const [two] = await ports.symbols.find("two.pdb", keyOf("same"));
      assert.ok(storedFile && two);
      assert.equal(storedFile.blob.key, two.blob.key);
    },
  },
  {
    name: "forgets the symbols of a version that is deleted, or overwritten by another build",
    async run(ports) {
      const { lifecycle, recorder, symbols } = ports;
      for (const version of ["1.0.0", "2.0.0"]) {
        await publish(ports, "Acme", version);
        await symbols.record(symbolsOf("acme", version, [fileOf("acme.pdb", version)]), testCaller);
      }
      await lifecycle.delete("acme", "1.0.0", testCaller);
      const other = newPackage({ id: "Acme", version: "2.0.0" }, { blob: blobOf("other build") });
      await recorder.record(other, testCaller, { overwrite: true });
      for (const version of ["1.0.0", "2.0.0"]) {
        assert.deepEqual(await symbols.find("acme.pdb", keyOf(version)), []);
        assert.equal(await symbols.findPackage("acme", version), undefined);
      }
    },
  },
  {
    name: "ends ten racing symbol packages of a version with exactly one of them",
    async run(ports) {
      await publish(ports, "Acme", "1.0.0");
      const uploads = Array.from({ length: 10 }, (_, index) =>
        symbolsOf("acme", "1.0.0", [fileOf("acme.pdb", `build ${index}`)], `upload ${index}`),
      );
      const outcomes = await Promise.all(
        uploads.map((upload) => ports.symbols.record(upload, testCaller)),
      );
      assert.ok(outcomes.every(({ status }) => status === "recorded"));
      const winner = await ports.symbols.findPackage("acme", "1.0.0");
      for (const [index, upload] of uploads.entries()) {
        const storedFiles = await ports.symbols.find("acme.pdb", keyOf(`build ${index}`));
        assert.equal(storedFiles.length, upload.blob.key === winner?.key ? 1 : 0);
      }
    },
  },
];

async function publish({ recorder }: CatalogPorts, id: string, version: string): Promise<void> {
  const { status } = await recorder.record(newPackage({ id, version }), testCaller);
  assert.equal(status, "recorded");
}

function recorded(...duplicates: readonly string[]) {
  return { status: "recorded", duplicates };
}

function symbolsOf(
  id: string,
  version: string,
  files: readonly SymbolFile[],
  content = "",
): NewSymbolPackage {
  return { id, version, blob: blobOf(`symbols ${id} ${version} ${content}`), files };
}

function fileOf(fileName: string, build: string): SymbolFile {
  const [symbolKey, blob] = [keyOf(build), blobOf(`pdb ${build}`)];
  return { fileName, symbolKey, checksum: sha256(`checksum ${build}`), blob };
}

/** The same bytes, uploaded once more. */
function again(file: SymbolFile): SymbolFile {
  return { ...file, blob: { ...file.blob, key: `${file.blob.key.slice(0, -1)}2` } };
}

function blobOf(content: string): NamedBlob {
  const hex = sha256(content);
  return { key: `nuget/blobs/sha256/${hex.slice(0, 2)}/${hex}.1`, size: 4321, sha256: hex };
}

function keyOf(build: string): string {
  return `${sha256(build).slice(0, 32)}ffffffff`;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
