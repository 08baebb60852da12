import { array, assert, constantFrom, nat, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { type Instance, World } from '../../../test/support/lane-model.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { LEASE_MS } from './lease.ts';

interface Action {
  readonly kind: keyof typeof ACTIONS;
  readonly who: number;
  readonly what: number;
  /** How much of what is under way, anywhere, goes on after it. */
  readonly pieces: number;
}

const ACTIONS = {
  seal: (_world: World, instance: Instance, what: number) => instance.sealHere(what % 3 > 0),
  ask: (world: World, instance: Instance) => world.ask(instance),
  'ask elsewhere': (world: World) => world.ask(undefined),
  wait: (world: World, _instance: Instance, what: number) => {
    world.nowMs += (what % 5) ** 3 * 60;
  },
  tick: (_world: World, instance: Instance, what: number) => instance.tell({ kind: 'tick', hasRoom: what % 4 > 0 }),
  'take due': (_world: World, instance: Instance) => instance.begin(instance.takeDue()),
  'find woken': (_world: World, instance: Instance) => instance.begin(instance.findWoken()),
  stop: (_world: World, instance: Instance) => instance.stop(),
  kill: (_world: World, instance: Instance) => instance.kill(),
  authority: (world: World, _instance: Instance, what: number) => {
    world.isUp = what % 2 === 0;
  },
};

function act(world: World, { kind, who, what, pieces }: Action): void {
  ACTIONS[kind](world, world.instances[who] as Instance, what);
  for (let index = 0; index < pieces; index += 1) {
    const busy = world.instances.filter(({ work }) => work.length > 0);
    busy[(what + index) % busy.length]?.goOn(what + 7 * index);
  }
}

const actions = (kinds: readonly Action['kind'][], instances: number) =>
  array(record({ kind: constantFrom(...kinds), who: nat(instances - 1), what: nat(1000), pieces: nat(15) }), {
    maxLength: 60,
    size: 'max',
  });

function finish(instance: Instance): void {
  for (let steps = 0; instance.work.length > 0; steps += 1) {
    expect(steps, 'it goes round').toBeLessThan(5000);
    instance.goOn(0);
  }
}

const FAIR: Action['kind'][] = ['seal', 'ask', 'wait', 'tick'];
const ALL: Action['kind'][] = [
  ...FAIR,
  ...FAIR,
  'ask elsewhere',
  'take due',
  'find woken',
  'stop',
  'kill',
  'authority',
];

test('no receipt is skipped or sent by two, and all is done soon, whatever happens in whatever order', () => {
  assert(
    property(actions(ALL, 3), (chosen) => {
      const world = new World();
      for (const action of chosen) act(world, action);
      for (const instance of world.instances) if (instance.isStopping) instance.kill();
      world.isUp = true;
      const healedAtMs = world.nowMs;
      for (let ticks = 0; !world.isDone; ticks += 1) {
        expect(world.nowMs - healedAtMs, 'something is asleep while something is due').toBeLessThan(LEASE_MS + 5000);
        for (const instance of world.instances) {
          instance.tell({ kind: 'tick', hasRoom: true });
          instance.begin(instance.findWoken());
          if (ticks % 4 === 0) instance.begin(instance.takeDue());
          finish(instance);
        }
        world.nowMs += 250;
      }
    }),
    runs(1000),
  );
});

test('an instance that is alone needs no look-out: every receipt and every poke is followed at once', () => {
  assert(
    property(actions(FAIR, 1), (chosen) => {
      const world = new World();
      const [instance] = world.instances as [Instance];
      for (const action of chosen) {
        // No statement takes longer than a lease lasts.
        if (action.kind === 'wait') finish(instance);
        act(world, action);
        if (instance.work.length === 0) expect(world.isDone, 'nothing is under way').toBe(true);
      }
    }),
    runs(1000),
  );
});

test('a poke during a step that fails is followed by a look, and not by the pause', () => {
  assert(
    property(actions([...FAIR, 'authority'], 1), (chosen) => {
      const world = new World();
      const [instance] = world.instances as [Instance];
      for (const action of chosen) {
        if (action.kind === 'wait') finish(instance);
        act(world, action);
        if (instance.work.length === 0) expect(world.seen, 'nothing is under way').toBe(world.asked);
      }
    }),
    runs(1000),
  );
});
