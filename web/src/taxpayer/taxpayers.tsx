import { Group } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../api/client.ts';
import { usePerson } from '../api/session.ts';
import { ADD_LOOK, DialogButton } from '../parts/actions.tsx';
import { DialogForm, useSending } from '../parts/form.tsx';
import { ListPage } from '../parts/list.tsx';
import { OnboardTaxpayers } from './onboarding.tsx';
import { bodyOf, TaxpayerFields, valuesOf } from './taxpayer-fields.tsx';
import { clientsOf, TAXPAYERS } from './taxpayer-lists.tsx';

export function TaxpayersPage() {
  const { Kind, Id } = usePerson().Tenant;
  const practiceId = Kind === 'practice' ? Id : null;
  return (
    <ListPage
      {...(practiceId === null ? TAXPAYERS : clientsOf(practiceId))}
      title="Taxpayers"
      lead="Each owns its devices, references and tokens, and sees nothing of the others."
      actions={
        <Group gap="sm">
          {practiceId !== null && <OnboardTaxpayers practiceId={practiceId} />}
          <DialogButton of="POST /api/admin/taxpayers" label="Add a taxpayer" title="Add a taxpayer" look={ADD_LOOK}>
            {() => <NewTaxpayer />}
          </DialogButton>
        </Group>
      }
    />
  );
}

function NewTaxpayer() {
  const navigate = useNavigate();
  const sending = useSending({
    values: valuesOf(undefined),
    send: (values) => call('POST /api/admin/taxpayers', { body: bodyOf(values) }),
    onSent: ({ TaxpayerId }) => void navigate({ to: `/taxpayers/${TaxpayerId}` }),
  });
  return (
    <DialogForm sending={sending} button="Add">
      <TaxpayerFields field={sending.field} />
    </DialogForm>
  );
}
