import { createMemoryCatalog } from "../memory-catalog.ts";
import { createMemoryFiles } from "../memory-files.ts";
import type { CatalogFlaw } from "../memory-state.ts";
import { createMemoryUploads } from "../memory-uploads.ts";
import type { Simulation } from "./run-seed.ts";
import type { SimulatedRegistry } from "./watched-ports.ts";

/** The registry in memory, whole or with a flaw. */
export function openMemoryRegistry(simulation: Simulation, flaw?: CatalogFlaw): SimulatedRegistry {
  const catalog = createMemoryCatalog({ ...simulation, ...(flaw && { flaw }) });
  const files = createMemoryFiles();
  const { repositories, blobs } = catalog.state;
  const inventory = { repositories, blobs, objects: files.objects };
  const uploads = createMemoryUploads(simulation.now);
  return { ...catalog, files, uploads, look: () => inventory };
}
