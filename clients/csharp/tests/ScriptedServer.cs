using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading.Tasks;

namespace Tillseal.Tests
{
    internal sealed class Request
    {
        internal string Path, Body;
        internal Dictionary<string, string> Headers = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);

        internal int Length => Headers.ContainsKey("Content-Length") ? int.Parse(Headers["Content-Length"]) : 0;
        internal bool IsLate => Headers.ContainsKey("Late-Receipt");
        internal string Reference => (string)((Dictionary<string, object>)Json.Read(Body))["Reference"];
        /// <summary>As a test's line shows it: the reference, and a star when it was sent as late.</summary>
        internal string Mark => Reference + (IsLate ? "*" : "");
    }

    internal sealed class Reply
    {
        internal int Status = 200;
        /// <summary>Null cuts the connection.</summary>
        internal string Text = "{}";
        internal string Headers = "";
        /// <summary>It is not sent before this has ended.</summary>
        internal Task After = Task.CompletedTask;

        internal Reply With(string header, string value) => new Reply { Status = Status, Text = Text, After = After, Headers = $"{Headers}{header}: {value}\r\n" };

        internal static Reply Cut => new Reply { Text = null };

        internal static Reply Never => new Reply { After = Task.Delay(-1) };

        internal static Reply Seal(Request request) => new Reply
        {
            Text = $"{{\"Reference\":\"{request.Reference}\",\"DeviceSignature\":\"c2ln\",\"DeviceHash\":\"aGFzaA==\",\"GlobalCounter\":7,\"VerificationCode\":\"0000-0000-0000-0000\",\"DateAdvanced\":90,\"NotSent\":[\"BuyerName\"]}}",
        };

        internal static Reply Problem(int status, string code, string fieldCode = "RCPT026", string then = null) => new Reply
        {
            Status = status,
            Text = Json.Write(new { title = "no", status, Code = code, Then = then, detail = "because", requestId = "r-1", errors = new[] { new { Field = "Date", Code = fieldCode, Message = "m" } } }),
        };
    }

    /// <summary>Answers each request as the script says, and remembers it.</summary>
    internal sealed class ScriptedServer : IDisposable
    {
        private readonly TcpListener listener = new TcpListener(IPAddress.Loopback, 0);
        private readonly Func<Request, Reply> script;

        internal ScriptedServer(Func<Request, Reply> script)
        {
            this.script = script;
            listener.Start();
            Task.Run(async () => { while (true) Answer(await listener.AcceptTcpClientAsync()); });
        }

        /// <summary>These answers one after another, then seals.</summary>
        internal ScriptedServer(params Reply[] replies) : this(InTurn(new ConcurrentQueue<Reply>(replies))) { }

        internal string Url => $"http://{listener.LocalEndpoint}";
        internal ConcurrentQueue<Request> Requests { get; } = new ConcurrentQueue<Request>();
        internal IEnumerable<string> Marks => Requests.Select(request => request.Mark);
        internal ConcurrentQueue<Report> Reports { get; } = new ConcurrentQueue<Report>();
        internal IEnumerable<string> Kinds => Reports.Select(report => report.Kind.ToString());
        internal TestClock Clock { get; } = new TestClock();

        internal Client Client(TimeSpan? timeout = null) => new Client(Url, "tsk_test", timeout);

        /// <summary>Its deadline is far away: a slow machine must not decide what becomes of a sale.</summary>
        internal Task<Outbox> OutboxAsync(TemporaryFolder folder, TestClock clock = null, int deadlineSeconds = 50) =>
            Client().OpenOutboxAsync(folder.Outbox, TemporaryFolder.Connect, TimeSpan.FromSeconds(deadlineSeconds), Reports.Enqueue, clock ?? Clock);

        public void Dispose() => listener.Stop();

        private static Func<Request, Reply> InTurn(ConcurrentQueue<Reply> replies) => request => replies.TryDequeue(out var reply) ? reply : Reply.Seal(request);

        /// <summary>One request of a connection.</summary>
        private async void Answer(TcpClient connection)
        {
            try
            {
                using (connection)
                using (var stream = connection.GetStream())
                using (var reader = new StreamReader(stream))
                {
                    var request = new Request { Path = (await reader.ReadLineAsync()).Split(' ')[1] };
                    for (var line = await reader.ReadLineAsync(); line != ""; line = await reader.ReadLineAsync()) request.Headers[line.Split(':')[0]] = line.Substring(line.IndexOf(':') + 2);
                    var body = new char[request.Length];
                    if (body.Length > 0) request.Body = new string(body, 0, await reader.ReadBlockAsync(body, 0, body.Length));
                    Requests.Enqueue(request);
                    var reply = script(request);
                    await reply.After;
                    if (reply.Text == null) return;
                    var bytes = Encoding.UTF8.GetBytes($"HTTP/1.1 {reply.Status} Scripted\r\nContent-Length: {Encoding.UTF8.GetByteCount(reply.Text)}\r\nConnection: close\r\n{reply.Headers}\r\n{reply.Text}");
                    await stream.WriteAsync(bytes, 0, bytes.Length);
                }
            }
            // The other side is gone, as a till may be.
            catch (Exception error) when (error is IOException || error is NullReferenceException) { }
        }
    }
}
