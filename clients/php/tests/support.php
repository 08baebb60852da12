<?php

/** What the tests need: a folder, a scripted service, other processes, and expectations. */

declare(strict_types=1);

use Tillseal\Client;
use Tillseal\Outbox;
use Tillseal\Outbox\Report;

require __DIR__ . '/../src/autoload.php';

final class World
{
    public readonly string $folder;
    public readonly string $file;
    public readonly string $url;
    public readonly Client $client;
    /** @var list<string> their kinds */
    public array $reports = [];
    /** How far the clock is ahead of this machine's. */
    public int $secondsLater = 0;
    /** @var list<resource> */
    private array $processes = [];

    public function __construct()
    {
        $this->folder = sys_get_temp_dir() . '/tillseal-php-' . bin2hex(random_bytes(8));
        mkdir($this->folder);
        $this->file = "$this->folder/till.outbox";
        [, $pipes] = $this->start([PHP_BINARY, __DIR__ . '/service.php', $this->folder]);
        $this->url = 'http://127.0.0.1:' . trim((string) fgets($pipes[1]));
        $this->client = new Client($this->url, 'tsk_test');
    }

    public function outbox(float $deadlineSeconds = FAR): Outbox
    {
        return new Outbox($this->client, $this->file, $deadlineSeconds, function (Report $report): void {
            $this->reports[] = $report->kind;
        }, fn () => microtime(true) + $this->secondsLater);
    }

    /** What the file has, as any program may read it. */
    public function query(string $sql): array
    {
        return (new PDO("sqlite:$this->file"))->query($sql)->fetchAll(PDO::FETCH_NUM);
    }

    /** Answers with these one after the other, then seals. */
    public function replyWith(array ...$replies): void
    {
        file_put_contents("$this->folder/script.json", json_encode($replies));
    }

    /** @return list<array<string, mixed>> */
    public function asked(): array
    {
        $lines = array_filter(explode("\n", (string) @file_get_contents("$this->folder/asked")));
        return array_map(static fn (string $line) => json_decode($line, true), $lines);
    }

    /** @return list<string> */
    public function references(): array
    {
        return array_map(static fn (array $asked) => json_decode($asked['Text'], true)['Reference'], $this->asked());
    }

    /** @return array{resource, array<int, resource>} */
    public function start(array $words): array
    {
        $process = proc_open($words, [['pipe', 'r'], ['pipe', 'w'], ['file', "$this->folder/stderr", 'a']], $pipes);
        $this->processes[] = $process;
        return [$process, $pipes];
    }

    /** @return list<string> the command line of a scripted till */
    public function till(string $prefix, int $sales = 1, int $device = 1): array
    {
        $words = [PHP_BINARY, __DIR__ . '/../till.php', 'sell', '--url', $this->url, '--token', 't', '--outbox', $this->file];
        return [...$words, '--prefix', $prefix, '--sales', "$sales", '--device', "$device", '--deadline-ms', '30000'];
    }

    /** What a program prints, and what it writes to standard error. */
    public function output(array $words): string
    {
        [, $pipes] = $this->start($words);
        return (string) stream_get_contents($pipes[1]);
    }

    public function end(): void
    {
        foreach ($this->processes as $process) {
            proc_terminate($process, 9);
            proc_close($process);
        }
        array_map(unlink(...), glob("$this->folder/*"));
        rmdir($this->folder);
    }
}

/** A deadline in seconds: a slow machine must not decide what becomes of a sale. */
const FAR = 50.0;

function expectSame(mixed $expected, mixed $got, string $what = ''): void
{
    if ($expected !== $got) {
        throw new LogicException(trim("$what: expected " . var_export($expected, true) . ', got ' . var_export($got, true), ': '));
    }
}

function expectThat(bool $is, string $what): void
{
    expectSame(true, $is, $what);
}

/** @param class-string<Throwable> $type */
function expectThrown(string $type, callable $do, string $words = ''): Throwable
{
    try {
        $do();
    } catch (Throwable $error) {
        if ($error instanceof $type && str_contains($error->getMessage(), $words)) {
            return $error;
        }
        throw $error;
    }
    throw new LogicException("expected $type");
}

function receipt(string $reference, int $device = 1001, array $more = []): array
{
    return ['AuthorityDeviceId' => $device, 'Reference' => $reference] + $more;
}

function refused(int $status, string $code = 'InvalidRequest', array $errors = [], array $headers = []): array
{
    $body = ['status' => $status, 'Code' => $code, 'detail' => 'Not so.', 'errors' => $errors];
    return ['Status' => $status, 'Body' => $body, 'Headers' => $headers];
}
