<?php

/** The scripted till that the conformance suite drives; proof/clients/README.md says what it does. */

declare(strict_types=1);

use Tillseal\Answer;
use Tillseal\Client;
use Tillseal\Error\OutboxException;
use Tillseal\Error\WebhookException;
use Tillseal\ExactJson;
use Tillseal\Outbox;
use Tillseal\Outbox\Report;
use Tillseal\Outbox\SetAside;
use Tillseal\Outbox\Signed;
use Tillseal\Outbox\Status;
use Tillseal\Outbox\Verdict;
use Tillseal\TaxSums;
use Tillseal\Webhook;

require __DIR__ . '/src/autoload.php';

const DONE = 0;
const FAILED = 1;
const NOT_UNDERSTOOD = 2;
const HALTED = 3;
const TOO_SLOW = 4;

function say(mixed $value): void
{
    fwrite(STDOUT, json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES) . "\n");
}

function outboxOf(array $options): Outbox
{
    $client = new Client($options['url'] ?? 'http://localhost', $options['token'] ?? '');
    return $client->openOutbox($options['outbox'], report: static function (Report $report): void {
        fwrite(STDERR, "$report->kind: $report->message\n");
    });
}

function amount(int $cents): string
{
    return sprintf('%d.%02d', intdiv($cents, 100), $cents % 100);
}

function receipt(int $number, array $options): array
{
    $line = static fn (string $name, string $hsCode, ?string $percent, int $cents): array => [
        'Type' => 'Sale',
        'Name' => $name,
        'HsCode' => $hsCode,
        'UnitPrice' => amount($cents),
        'Quantity' => 1,
        'LineTotal' => amount($cents),
        'TaxPercent' => $percent,
    ];
    $lines = [
        $line('Coffee', '0901', '15.5', ($number % 997 + 1) * 7),
        $line('Bread', '19059010', '0', $number % 89 + 1),
        $line('Stamps', '49070000', null, 50),
    ];
    $sums = TaxSums::of($lines, isTaxInclusive: true);
    $refuseEvery = (int) ($options['refuse-every'] ?? 0);
    $isWrong = $refuseEvery > 0 && $number % $refuseEvery === 0;
    return [
        'AuthorityDeviceId' => (int) $options['device'],
        'Type' => 'FiscalInvoice',
        'Currency' => 'USD',
        'Reference' => "$options[prefix]-$number",
        'Date' => gmdate('Y-m-d\TH:i:s\Z', time() + (int) ($options['ahead-seconds'] ?? 0)),
        'ReceiptLinesTaxInclusive' => true,
        'TotalAmount' => amount((int) str_replace('.', '', $sums->totalAmount) + ($isWrong ? 1 : 0)),
        'ReceiptLines' => $lines,
        'Taxes' => $sums->taxes,
        'Payments' => [['Type' => 'Cash', 'Amount' => $sums->totalAmount]],
    ];
}

function sell(array $options): int
{
    $outbox = outboxOf($options);
    $stateFile = "$options[outbox].$options[prefix].state";
    $state = is_file($stateFile) ? ExactJson::decode((string) file_get_contents($stateFile)) : ['Number' => 1, 'Receipt' => null];
    for ($number = $state['Number']; $number <= (int) $options['sales']; $number++) {
        $sale = $number === $state['Number'] && $state['Receipt'] !== null ? $state['Receipt'] : receipt($number, $options);
        $file = fopen("$stateFile.new", 'wb');
        fwrite($file, ExactJson::encode(['Number' => $number, 'Receipt' => $sale]));
        fsync($file);
        fclose($file);
        rename("$stateFile.new", $stateFile);
        try {
            $result = $outbox->sell($sale, (int) ($options['deadline-ms'] ?? 5000) / 1000);
        } catch (OutboxException $error) {
            say(['Reference' => $sale['Reference'], 'Outcome' => 'Failed', 'Error' => $error->getMessage()]);
            return FAILED;
        }
        say(['Reference' => $result->reference] + match (true) {
            $result instanceof Signed => ['Outcome' => 'Signed', 'Number' => $result->number, 'ClockAheadSeconds' => $result->clockAheadSeconds],
            $result instanceof SetAside => ['Outcome' => 'SetAside', 'Status' => $result->problem->status],
            default => ['Outcome' => 'Queued'],
        });
        usleep((int) ($options['every-ms'] ?? 0) * 1000);
    }
    return DONE;
}

function shown(Status $status): array
{
    $moment = static fn (?DateTimeImmutable $at) => $at?->format('Y-m-d\TH:i:s\Z');
    $failure = $status->lastFailure;
    $halted = $status->halted;
    return [
        'Queued' => $status->queued,
        'Oldest' => $moment($status->oldest),
        'LastFailure' => $failure ? ['At' => $moment($failure->at), 'Since' => $moment($failure->since), 'Message' => $failure->message] : null,
        'SetAside' => array_map(static fn (SetAside $one) => ['Reference' => $one->reference, 'Status' => $one->problem->status], $status->setAside),
        'Halted' => $halted ? ['Since' => $moment($halted->since), 'Status' => $halted->problem->status] : null,
    ];
}

function drain(array $options): int
{
    $drained = outboxOf($options)->drain((int) ($options['within-ms'] ?? 60_000) / 1000);
    $status = $drained->status;
    say(['Signed' => $drained->signed, 'SetAside' => $drained->setAside, 'Status' => shown($status)]);
    return $status->halted !== null ? HALTED : ($status->queued > 0 ? TOO_SLOW : DONE);
}

function status(array $options): int
{
    say(shown(outboxOf($options)->status()));
    return DONE;
}

function find(array $options): int
{
    $sale = outboxOf($options)->find($options['reference']);
    say($sale ? ['Reference' => $sale->reference, 'State' => $sale->state, 'Attempts' => $sale->attempts, 'Number' => $sale->number] : null);
    return DONE;
}

/** retry, discard or resume */
function decide(string $command, array $options): int
{
    outboxOf($options)->$command(...(isset($options['reference']) ? [$options['reference']] : []));
    return DONE;
}

/** Does what it is told line by line, and says what came of it. */
function script(array $options): int
{
    $client = new Client($options['url'], $options['token']);
    $outbox = null;
    while (($line = fgets(STDIN)) !== false) {
        $told = ExactJson::decode($line);
        [$seconds, $reference] = [(float) $told['Seconds'], $told['Reference']];
        try {
            switch ($told['Do']) {
                case 'open':
                    $outbox = $client->openOutbox($told['Outbox'], report: static fn (Report $one) => say(['Report' => "$one->kind $one->reference"]));
                    $result = null;
                    break;
                case 'sell':
                    $result = soldAs($outbox->sell($told['Receipt'], $seconds));
                    break;
                case 'drain':
                    $drained = $outbox->drain($seconds);
                    $result = ['Signed' => $drained->signed, 'SetAside' => $drained->setAside, 'Status' => statusAs($drained->status)];
                    break;
                case 'status':
                    $result = statusAs($outbox->status());
                    break;
                case 'find':
                    $result = foundAs($outbox->find($reference));
                    break;
                default:
                    $outbox->{$told['Do']}(...($reference === null ? [] : [$reference]));
                    $result = null;
            }
            say(['Result' => $result]);
        } catch (OutboxException $error) {
            say(['Error' => $error->getMessage()]);
        }
    }
    return DONE;
}

function soldAs(object $sold): array
{
    return ['Reference' => $sold->reference] + match (true) {
        $sold instanceof Signed => ['Outcome' => 'Signed', 'Number' => $sold->number, 'ClockAheadSeconds' => $sold->clockAheadSeconds, 'HasReceipt' => $sold->receipt !== null],
        $sold instanceof SetAside => ['Outcome' => 'SetAside', 'Status' => $sold->problem->status, 'Codes' => array_column($sold->problem->errors, 'code')],
        default => ['Outcome' => 'Queued', 'LastFailure' => $sold->lastFailure?->message],
    };
}

function statusAs(Status $status): array
{
    return [
        'Queued' => $status->queued,
        'LastFailure' => $status->lastFailure?->message,
        'SetAside' => array_map(static fn (SetAside $one) => "$one->reference {$one->problem->status}", $status->setAside),
        'Halted' => $status->halted?->problem->status,
    ];
}

function foundAs(?object $sale): ?array
{
    return $sale === null ? null : [
        'Reference' => $sale->reference,
        'State' => $sale->state,
        'Attempts' => $sale->attempts,
        'Number' => $sale->number,
        'HasReceipt' => $sale->receipt !== null,
        'Status' => $sale->problem?->status,
        'LastFailure' => $sale->lastFailure?->message,
    ];
}

/** @return array{mixed, mixed} what is expected, and what is so */
function taxSumsCase(array $case): array
{
    $sums = TaxSums::of($case['ReceiptLines'], $case['ReceiptLinesTaxInclusive']);
    return [[$case['Taxes'], $case['TotalAmount']], [$sums->taxes, $sums->totalAmount]];
}

function webhooksCase(array $case): array
{
    try {
        Webhook::verify($case['Secret'], $case['Headers'], $case['Body'], now: $case['Now']);
    } catch (WebhookException) {
        return [$case['IsGood'], false];
    }
    return [$case['IsGood'], true];
}

function verdictsCase(array $case): array
{
    $verdict = Verdict::of(new Answer($case['Status'], array_change_key_case($case['Headers']), $case['Body']), $case['Reference']);
    return [[$case['Verdict'], $case['AfterSeconds']], [$verdict->word, $verdict->afterSeconds()]];
}

function outboxCase(array $case): array
{
    $folder = sys_get_temp_dir() . '/tillseal-vector-' . bin2hex(random_bytes(8));
    mkdir($folder);
    outboxOf(['outbox' => "$folder/till.outbox"]);
    $made = (new PDO("sqlite:$folder/till.outbox"))->query("select sql || ';\n' from sqlite_master where name not like 'sqlite!_%' escape '!'");
    $got = implode('', $made->fetchAll(PDO::FETCH_COLUMN));
    array_map(unlink(...), glob("$folder/*"));
    rmdir($folder);
    return [$case['Sql'], $got];
}

function vectors(array $options): int
{
    $text = (string) file_get_contents($options['file']);
    $name = basename($options['file']);
    $document = $name === 'outbox.sql' ? ['Cases' => [['Name' => $name, 'Sql' => $text]]] : ExactJson::decode($text);
    $run = [
        'tax-sums.json' => taxSumsCase(...),
        'webhooks.json' => webhooksCase(...),
        'verdicts.json' => verdictsCase(...),
        'outbox.sql' => outboxCase(...),
    ][$name];
    $cases = $document['Cases'] ?? $document['Vectors'];
    $failed = [];
    foreach ($cases as $case) {
        [$expected, $got] = $run($case);
        if ($expected !== $got) {
            $failed[] = ['Name' => $case['Name'], 'Expected' => $expected, 'Got' => $got];
        }
    }
    say(['Passed' => count($cases) - count($failed), 'Failed' => $failed]);
    return $failed === [] ? DONE : FAILED;
}

function usage(): int
{
    fwrite(STDERR, "Usage: till.php sell | drain | status | find | retry | discard | resume | vectors | script [--name value …]\n");
    return NOT_UNDERSTOOD;
}

$words = array_slice($argv, 1);
$command = array_shift($words) ?? '';
$options = [];
foreach (array_chunk($command === 'vectors' ? ['--file', ...$words] : $words, 2) as [$name, $value]) {
    $options[substr($name, 2)] = $value;
}
try {
    exit(match ($command) {
        'sell' => sell($options),
        'drain' => drain($options),
        'status' => status($options),
        'find' => find($options),
        'retry', 'discard', 'resume' => decide($command, $options),
        'vectors' => vectors($options),
        'script' => script($options),
        default => usage(),
    });
} catch (OutboxException $error) {
    fwrite(STDERR, $error->getMessage() . "\n");
    exit(FAILED);
}
