/** `npm run proof -- clients --faults`: what disks, users, clocks and operators do to tills. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Language, missing } from '../../../clients/languages.ts';
import { saleProblems } from '../../checker/check-sales.ts';
import { endTills } from '../tills/till-process.ts';
import { openWorld } from '../tills/world.ts';
import { jumpClock, misdate } from './clock.ts';
import { failDisk } from './disk.ts';
import { restoreService } from './restore.ts';
import { holdDevice, revokeToken } from './service.ts';
import type { Proof, Scene } from './till.ts';
import { changeUsers } from './users.ts';

export interface FaultPlan {
  readonly folder: string;
  readonly languages: readonly Language[];
  /** How many calls to the disk fail in each language, spread over a whole sale. */
  readonly diskFaults: number;
  readonly tell: (line: string) => void;
}

/** By language. Each has a device, and what its proofs sold must be in the chain once and in order. */
export async function runFaults({ folder, languages, diskFaults, tell }: FaultPlan): Promise<Map<string, Proof[]>> {
  const there = languages.filter((language) => missing(language).length === 0);
  await Promise.all(there.map(async (language) => language.build?.(folder)));
  const world = await openWorld(join(folder, 'data'), there.length * 2);
  try {
    const proofs = new Map<string, Proof[]>();
    await mkdir(join(folder, 'tills'));
    const scenes = there.map((language, index): Scene & { readonly restoredId: number } => ({
      language: language.name,
      line: language.till(folder),
      world,
      deviceId: world.deviceIds[index] ?? 0,
      restoredId: world.deviceIds[there.length + index] ?? 0,
      folder: join(folder, 'tills'),
    }));
    const steps = [
      changeUsers,
      misdate,
      jumpClock,
      holdDevice,
      revokeToken,
      (scene: Scene) => failDisk(scene, diskFaults),
    ];
    const prove = async (scene: Scene) => {
      for (const step of steps) {
        const { receipts } = await world.chain(scene.deviceId);
        const proof = await step(scene);
        const sold = [...receipts.map(({ Reference }) => Reference), ...proof.sealed];
        const faults = [...proof.faults, ...saleProblems(await world.chain(scene.deviceId), [sold])];
        proofs.set(scene.language, [...(proofs.get(scene.language) ?? []), { ...proof, faults }]);
        tell([`${scene.language}: ${proof.name}: ${proof.what}`, ...faults].join('\n    '));
      }
    };
    await Promise.all(scenes.map(prove));
    const last = scenes.map(({ restoredId, ...scene }) => ({ ...scene, deviceId: restoredId }));
    for (const [name, proof] of await restoreService(folder, last)) {
      tell([`${name}: ${proof.name}: ${proof.what}`, ...proof.faults].join('\n    '));
      proofs.get(name)?.push(proof);
    }
    return proofs;
  } finally {
    endTills();
    await world.close();
  }
}
