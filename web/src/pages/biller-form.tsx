import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import type { Biller } from '../api/billpay-shapes.ts';
import { Problem, send } from '../api/client.ts';
import { Icon } from '../parts/icons.tsx';
import { tell } from '../parts/notify.ts';
import { Failure } from '../parts/states.tsx';
import type { Times } from '../parts/times.ts';
import { useTimes } from '../parts/use-times.ts';
import { useMay } from '../shell/session.tsx';
import { type BillerDraft, billerJson, draftOf, NEW_BILLER } from './biller-draft.ts';
import { Fees } from './biller-fees.tsx';
import { MemberNumbers } from './biller-member-numbers.tsx';
import { Products } from './biller-products.tsx';
import { Collection, General, Invoices } from './biller-sections.tsx';

/** The whole document of a biller; without one, of a new one. */
export function BillerForm(props: { readonly biller?: Biller; readonly onAdded?: (code: string) => void }) {
  const { biller } = props;
  const client = useQueryClient();
  const mayEdit = useMay('operator');
  const times = useTimes();
  const [base, setBase] = useState(biller);
  const [draft, setDraft] = useState(() => startOf(biller, times));
  const isChanged = JSON.stringify(draft) !== JSON.stringify(startOf(base, times));
  const isOld = biller !== undefined && base !== undefined && biller.Revision > base.Revision;
  const adopt = (now: Biller | undefined) => {
    setBase(now);
    setDraft(startOf(now, times));
  };
  useEffect(() => {
    // Somebody else has changed it: shown at once, unless something was typed here that would be lost.
    if (isOld && !isChanged) {
      setBase(biller);
      setDraft(startOf(biller, times));
    }
  }, [isOld, isChanged, biller, times]);
  const save = useMutation({
    mutationFn: async () => {
      const path = `/api/admin/billers${base === undefined ? '' : `/${encodeURIComponent(base.Code)}`}`;
      const body = billerJson(draft, times, base);
      return (await send<Biller>(path, { method: base === undefined ? 'POST' : 'PUT', body })).value;
    },
    onSuccess: async (saved) => {
      tell(base === undefined ? 'Added. Grant it to a vendor now.' : 'Saved. Every vendor that sees it is told.');
      if (base !== undefined) adopt(saved);
      await client.invalidateQueries({ queryKey: ['live'] });
      await client.invalidateQueries({ queryKey: ['billers'] });
      props.onAdded?.(saved.Code);
    },
  });
  const problem = save.error instanceof Problem ? inFormWords(save.error) : undefined;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The form is long: whoever is refused is taken to the first field that is wrong.
    if (save.error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
  }, [save.error]);
  const set = (change: Partial<BillerDraft>) => setDraft((before) => ({ ...before, ...change }));
  const part = { draft, problem, onChange: set };
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form ref={form} onSubmit={submit} aria-label="Biller" noValidate>
      <fieldset disabled={!mayEdit} style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
        <Stack gap="md">
          {isOld && isChanged && <ChangedMeanwhile onLoad={() => adopt(biller)} />}
          <General {...part} isNew={base === undefined} />
          <Fees {...part} />
          <MemberNumbers {...part} />
          <Products {...part} />
          <Invoices {...part} />
          <Collection {...part} />
          {save.error !== null && <Failure error={problem ?? save.error} />}
          {mayEdit && (
            <Group className={isChanged ? 'save-bar' : undefined}>
              <Button type="submit" loading={save.isPending} disabled={!isChanged}>
                {base === undefined ? 'Add the biller' : 'Save'}
              </Button>
              {isChanged && base !== undefined && (
                <Button variant="default" onClick={() => adopt(biller)}>
                  Undo
                </Button>
              )}
            </Group>
          )}
        </Stack>
      </fieldset>
    </form>
  );
}

/** Whoever types in a form knows nothing of JSON types: all its fields are text, but some must hold a number. */
function inFormWords(problem: Problem): Problem {
  const errors = problem.errors.map((error) =>
    error.Code === 'WrongType' ? { ...error, Message: 'must be a number, such as 2.50' } : error,
  );
  const { status, title, code, requestId, message } = problem;
  return new Problem(status, { title, detail: message, Code: code, errors, requestId });
}

const startOf = (biller: Biller | undefined, times: Times) =>
  biller === undefined ? NEW_BILLER : draftOf(biller, times);

function ChangedMeanwhile({ onLoad }: { readonly onLoad: () => void }) {
  return (
    <Alert color="yellow" variant="light" icon={<Icon name="alert" />} title="Somebody else has changed it meanwhile">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">What you typed is based on an older revision and cannot be saved.</Text>
        <Button size="xs" onClick={onLoad}>
          Load the new revision
        </Button>
      </Stack>
    </Alert>
  );
}
