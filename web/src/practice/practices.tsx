import { TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import type { AnswerAt } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { ADD_LOOK } from '../parts/actions.tsx';
import type { Column } from '../parts/data-table.tsx';
import { FormDialog } from '../parts/form.tsx';
import { TextLink } from '../parts/links.tsx';
import { List, ListPage } from '../parts/list.tsx';
import { EndMandate } from '../taxpayer/taxpayers.tsx';

type Practice = AnswerAt<'GET /api/admin/practices'>['Practices'][number];

const PRACTICES = {
  of: 'GET /api/admin/practices',
  items: 'Practices',
  icon: 'practice',
  keyOf: ({ PracticeId }: Practice) => PracticeId,
  columns: [
    {
      name: 'Name',
      cell: ({ PracticeId: practiceId, Name }) => (
        <TextLink to="/practices/$practiceId" params={{ practiceId }}>
          {Name}
        </TextLink>
      ),
    },
    { name: 'Added', isLesser: true, cell: ({ CreatedAt }, { dateOnly }) => dateOnly(CreatedAt) },
  ] satisfies readonly Column<Practice>[],
} as const;

export function PracticesPage() {
  const navigate = useNavigate();
  return (
    <ListPage
      {...PRACTICES}
      title="Practices"
      lead="Accountants and resellers: their people act for each taxpayer they look after."
      none="No practice yet"
      actions={
        <FormDialog
          of="POST /api/admin/practices"
          label="Add a practice"
          title="Add a practice"
          look={ADD_LOOK}
          button="Add"
          values={{ Name: '' }}
          send={(body) => call('POST /api/admin/practices', { body })}
          onSent={({ PracticeId }) => void navigate({ to: `/practices/${PracticeId}` })}
        >
          {({ field }) => <TextInput required maxLength={100} {...field('Name', 'Name')} data-autofocus />}
        </FormDialog>
      }
    />
  );
}

/** Those that look after a taxpayer, which ends that whenever it wants. */
export function PracticesOf({ taxpayerId }: { readonly taxpayerId: string }) {
  return (
    <List
      {...PRACTICES}
      title="Practices that act for you"
      given={{ query: { TaxpayerId: taxpayerId } }}
      columns={[
        ...PRACTICES.columns,
        {
          name: '',
          cell: ({ PracticeId }) => (
            <EndMandate practiceId={PracticeId} taxpayerId={taxpayerId}>
              Its people can no longer see or do anything here, with their next request.
            </EndMandate>
          ),
        },
      ]}
    />
  );
}
