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
        internal string Path;
        internal string Body;
        internal bool IsLate;
        internal string Token;
        internal TimeSpan At;

        internal string Reference => (string)((Dictionary<string, object>)Json.Read(Body))["Reference"];
        /// <summary>As a test's line shows it: the reference, and a star when it was sent as late.</summary>
        internal string Mark => Reference + (IsLate ? "*" : "");
    }

    internal sealed class Reply
    {
        internal int Status = 200;
        internal string Text = "{}";
        internal Dictionary<string, string> Headers = new Dictionary<string, string>();
        internal bool IsCut;
        internal int DelayMs;

        /// <summary>The device has to wait for longer than any deadline.</summary>
        internal Reply RetryMuchLater()
        {
            Headers["Retry-After"] = "600";
            return this;
        }

        internal static Reply Cut => new Reply { IsCut = true };

        internal static Reply Seal(Request request) => new Reply
        {
            Text = $"{{\"Reference\":\"{request.Reference}\",\"DeviceSignature\":\"c2ln\",\"DeviceHash\":\"aGFzaA==\",\"GlobalCounter\":7,\"VerificationCode\":\"0000-0000-0000-0000\"}}",
        };

        internal static Reply Problem(int status, string code, string fieldCode = "RCPT026") => new Reply
        {
            Status = status,
            Text = $"{{\"title\":\"no\",\"status\":{status},\"Code\":\"{code}\",\"detail\":\"because\",\"requestId\":\"r-1\",\"errors\":[{{\"Field\":\"Date\",\"Code\":\"{fieldCode}\",\"Message\":\"m\"}}]}}",
        };
    }

    /// <summary>Answers each request as the script says, and remembers it.</summary>
    internal sealed class ScriptedServer : IDisposable
    {
        private readonly HttpListener listener = new HttpListener();
        private readonly Func<Request, Reply> script;

        internal ScriptedServer(Func<Request, Reply> script)
        {
            this.script = script;
            Url = $"http://127.0.0.1:{FreePort()}";
            listener.Prefixes.Add(Url + "/");
            listener.Start();
            Listen();
        }

        /// <summary>These answers one after another, then seals.</summary>
        internal ScriptedServer(params Reply[] replies) : this(InTurn(new ConcurrentQueue<Reply>(replies))) { }

        internal string Url { get; }
        internal ConcurrentQueue<Request> Requests { get; } = new ConcurrentQueue<Request>();
        internal IEnumerable<string> Marks => Requests.Select(request => request.Mark);

        internal TillsealClient Client() => new TillsealClient(Url, "tsk_test");

        /// <summary>Its deadline is far away: a slow machine must not decide what becomes of a sale.</summary>
        internal Outbox Outbox(string path) => new Outbox(Client(), path) { Deadline = TimeSpan.FromSeconds(50) };

        internal static int FreePort()
        {
            var probe = new TcpListener(IPAddress.Loopback, 0);
            probe.Start();
            var port = ((IPEndPoint)probe.LocalEndpoint).Port;
            probe.Stop();
            return port;
        }

        public void Dispose() => listener.Close();

        private static Func<Request, Reply> InTurn(ConcurrentQueue<Reply> replies) => request => replies.TryDequeue(out var reply) ? reply : Reply.Seal(request);

        private async void Listen()
        {
            try
            {
                while (true) Answer(await listener.GetContextAsync());
            }
            catch (Exception error) when (error is HttpListenerException || error is ObjectDisposedException) { }
        }

        private async void Answer(HttpListenerContext context)
        {
            try
            {
                var request = new Request
                {
                    Path = context.Request.RawUrl, Body = new StreamReader(context.Request.InputStream).ReadToEnd(), At = Monotonic.Now,
                    IsLate = context.Request.Headers["Late-Receipt"] == "true", Token = context.Request.Headers["Authorization"],
                };
                Requests.Enqueue(request);
                var reply = script(request);
                if (reply.DelayMs > 0) await Task.Delay(reply.DelayMs);
                if (reply.IsCut)
                {
                    context.Response.Abort();
                    return;
                }
                context.Response.StatusCode = reply.Status;
                context.Response.ContentType = "application/json";
                foreach (var header in reply.Headers) context.Response.Headers[header.Key] = header.Value;
                var bytes = Encoding.UTF8.GetBytes(reply.Text);
                context.Response.OutputStream.Write(bytes, 0, bytes.Length);
                context.Response.Close();
            }
            catch (Exception error) when (error is IOException || error is HttpListenerException || error is ObjectDisposedException) { }
        }
    }
}
