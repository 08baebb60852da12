import { Button, Checkbox, FileInput, Group, Image, Paper, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerAt, Taxpayer } from '../api/answers.ts';
import { call } from '../api/client.ts';
import { useMay } from '../api/session.ts';
import { PageForm, useSending } from '../parts/form.tsx';
import { tell } from '../parts/notify.ts';
import { Panel } from '../parts/panel.tsx';
import { Loaded } from '../parts/states.tsx';

/** What stands on the receipts a taxpayer prints, beside what the law asks for. */
export function TaxpayerPrinting({ taxpayer }: { readonly taxpayer: Taxpayer }) {
  const params = { taxpayerId: taxpayer.TaxpayerId };
  const printing = useQuery({
    queryKey: ['printing', taxpayer.TaxpayerId],
    queryFn: () => call('GET /api/admin/taxpayers/:taxpayerId/printing', { params }),
  });
  return (
    <Loaded query={printing} rows={3}>
      {(found) => <PrintingForm params={params} printing={found} />}
    </Loaded>
  );
}

interface FormProps {
  readonly params: { readonly taxpayerId: string };
  readonly printing: AnswerAt<'GET /api/admin/taxpayers/:taxpayerId/printing'>;
}

function PrintingForm({ params, printing }: FormProps) {
  const sending = useSending({
    values: { Footer: printing.Footer ?? '', Logo: printing.Logo, FiscalNoteTitles: printing.FiscalNoteTitles },
    send: ({ Footer, Logo, FiscalNoteTitles }) =>
      call('PATCH /api/admin/taxpayers/:taxpayerId/printing', {
        params,
        body: { Footer: Footer.trim() === '' ? null : Footer, Logo, FiscalNoteTitles },
      }),
    onSent: () => tell('Saved. It is used on everything printed from now on.'),
  });
  const mayEdit = useMay('PATCH /api/admin/taxpayers/:taxpayerId/printing');
  const { Logo: logo } = sending.form.values;
  const choose = async (file: File | null) => {
    if (file === null) return;
    const bytes = new Uint8Array(await file.arrayBuffer());
    sending.form.setFieldValue('Logo', btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')));
  };
  return (
    <PageForm sending={sending} button="Save" mayEdit={mayEdit}>
      <Panel title="On its receipts">
        <FileInput
          label="Logo"
          description="A PNG of at most 100 kB, printed at the top"
          accept="image/png"
          placeholder={logo === null ? 'None' : 'Choose another'}
          onChange={(file) => void choose(file)}
          error={sending.form.errors['Logo']}
        />
        {logo !== null && (
          <Group>
            <Paper withBorder p="xs" bg="white">
              <Image src={`data:image/png;base64,${logo}`} alt="The logo" mah={72} w="auto" fit="contain" />
            </Paper>
            {mayEdit && (
              <Button variant="default" size="xs" onClick={() => sending.form.setFieldValue('Logo', null)}>
                Remove it
              </Button>
            )}
          </Group>
        )}
        <Textarea
          maxLength={500}
          autosize
          minRows={2}
          {...sending.field('Footer', 'Footer', 'At most 500 characters, printed at the end')}
        />
        <Checkbox {...sending.flag('FiscalNoteTitles', 'Title notes FISCAL CREDIT NOTE and FISCAL DEBIT NOTE')} />
      </Panel>
    </PageForm>
  );
}
