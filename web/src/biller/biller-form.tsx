import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import type { Biller } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { PageForm, useSending } from '../parts/form.tsx';
import { Notice } from '../parts/notice.tsx';
import { tell } from '../parts/notify.ts';
import type { Times } from '../parts/times.ts';
import { useTimes } from '../parts/use-times.ts';
import { type BillerDraft, billerJson, draftOf, NEW_BILLER } from './biller-draft.ts';
import { MemberNumbers } from './biller-member-numbers.tsx';
import { Products } from './biller-products.tsx';
import { Collection, Fees, General, Invoices } from './biller-sections.tsx';

/** The whole document of a biller; without one, of a new one. */
export function BillerForm(props: { readonly biller?: Biller; readonly onAdded?: (code: string) => void }) {
  const { biller } = props;
  const times = useTimes();
  const [base, setBase] = useState(biller);
  const sending = useSending({
    values: startOf(biller, times),
    send: (draft: BillerDraft) => {
      const body = billerJson(draft, times, base);
      return base === undefined
        ? call('POST /api/admin/billers', { body })
        : call('PUT /api/admin/billers/:billerCode', { params: { billerCode: base.Code }, body });
    },
    onSent: (saved) => {
      tell(base === undefined ? 'Added. Grant it to a vendor now.' : 'Saved. Every vendor that sees it is notified.');
      if (base !== undefined) adopt(saved);
      props.onAdded?.(saved.Code);
    },
  });
  const { form, field, flag } = sending;
  const parts = { form, field, flag };
  const adopt = (now: Biller) => {
    setBase(now);
    form.setValues(startOf(now, times));
    form.resetDirty();
  };
  const newer = biller !== undefined && base !== undefined && biller.Revision > base.Revision ? biller : undefined;
  const isChanged = form.isDirty();
  // biome-ignore lint/correctness/useExhaustiveDependencies: what adopting uses is the same in every rendering
  useEffect(() => {
    // Someone else has changed it: shown immediately, unless something was typed here that would be lost.
    if (newer !== undefined && !isChanged) adopt(newer);
  }, [newer, isChanged]);
  return (
    <PageForm
      sending={sending}
      button={base === undefined ? 'Add the biller' : 'Save'}
      label="Biller"
      mayEdit={useMay('PUT /api/admin/billers/:billerCode')}
    >
      {newer !== undefined && isChanged && (
        <Notice
          color="yellow"
          title="Someone else has changed it in the meantime"
          actions={
            <Button size="xs" onClick={() => adopt(newer)}>
              Load the new revision
            </Button>
          }
        >
          What you typed is based on an older revision and cannot be saved.
        </Notice>
      )}
      <General {...parts} isNew={base === undefined} />
      <Fees {...parts} />
      <MemberNumbers {...parts} />
      <Products {...parts} />
      <Invoices {...parts} />
      <Collection {...parts} />
    </PageForm>
  );
}

const startOf = (biller: Biller | undefined, times: Times) => draftOf(biller ?? NEW_BILLER, times);
