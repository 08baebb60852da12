<?php

/**
 * A Tillseal that answers as a test tells it to, and remembers what it was asked: `php service.php FOLDER`. It prints its port. FOLDER/script.json
 * is a list of replies, used one after the other ({"Status", "Body", "Headers", "IsLost", "Trickle", "Delay", "Times"}); when it is used up, everything is
 * sealed. FOLDER/asked has one line of JSON for each request.
 */

declare(strict_types=1);

$folder = $argv[1];
$listener = stream_socket_server('tcp://127.0.0.1:0');
echo explode(':', (string) stream_socket_get_name($listener, false))[1], "\n";

while (true) {
    $connection = stream_socket_accept($listener, -1);
    $head = '';
    while (!str_ends_with($head, "\r\n\r\n") && ($line = fgets($connection)) !== false) {
        $head .= $line;
    }
    if ($head === '') {
        continue;
    }
    [$method, $path] = explode(' ', $head);
    $length = preg_match('/^content-length: (\d+)/mi', $head, $found) ? (int) $found[1] : 0;
    $text = $length > 0 ? (string) stream_get_contents($connection, $length) : '';
    $isLate = preg_match('/^late-receipt: true\r$/mi', $head) === 1;
    $asked = ['Method' => $method, 'Path' => $path, 'Text' => $text, 'IsLate' => $isLate, 'Head' => $head];
    file_put_contents("$folder/asked", json_encode($asked) . "\n", FILE_APPEND);

    $script = json_decode((string) @file_get_contents("$folder/script.json"), true) ?: [];
    $sealed = ['Reference' => json_decode($text, true)['Reference'] ?? '', 'DeviceSignature' => 'c2VhbA==', 'GlobalCounter' => 17];
    $reply = array_shift($script) ?? ['Body' => $sealed];
    file_put_contents("$folder/script.json", json_encode($script));
    usleep((int) (1e6 * ($reply['Delay'] ?? 0)));
    if (!($reply['IsLost'] ?? false)) {
        $body = is_string($reply['Body'] ?? '') ? $reply['Body'] ?? '' : json_encode($reply['Body']);
        $body = str_repeat($body, $reply['Times'] ?? 1);
        $headers = ($reply['Headers'] ?? []) + ['Content-Type' => 'application/json', 'Connection' => 'close'];
        $headers['Content-Length'] ??= (string) strlen($body);
        $answer = 'HTTP/1.1 ' . ($reply['Status'] ?? 200) . " X\r\n";
        foreach ($headers as $name => $value) {
            $answer .= "$name: $value\r\n";
        }
        foreach (isset($reply['Trickle']) ? str_split("$answer\r\n$body") : ["$answer\r\n$body"] as $part) {
            if (@fwrite($connection, $part) === false) {
                break;
            }
            usleep(isset($reply['Trickle']) ? 50_000 : 0);
        }
    }
    fclose($connection);
}
