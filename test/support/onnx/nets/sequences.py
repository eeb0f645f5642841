# sequences.py - small recurrent nets, and nets of words.
import torch
from torch import nn
from torch.nn import functional as F
from .base import Apply, case, conv_bn, randn


def recurrent(kind, **options):
    def f(m, x):
        y, state = m.r(x)
        return (m.o(y), *state) if isinstance(state, tuple) else (m.o(y), state)

    wide = 7 * (2 if options.get('bidirectional') else 1)
    return Apply(f, r=kind(5, 7, batch_first=True, **options), o=nn.Linear(wide, 3)), (
        randn(2, 6, 5),
    )


@case
def lstm():
    return recurrent(nn.LSTM)


@case
def lstm_two_layers():
    return recurrent(nn.LSTM, num_layers=2)


@case
def lstm_bidirectional():
    return recurrent(nn.LSTM, num_layers=2, bidirectional=True)


@case
def gru():
    return recurrent(nn.GRU)


@case
def gru_bidirectional():
    return recurrent(nn.GRU, num_layers=2, bidirectional=True, bias=False)


@case
def rnn():
    return recurrent(nn.RNN, num_layers=2)


@case
def rnn_relu():
    return recurrent(nn.RNN, nonlinearity='relu', bidirectional=True)


@case
def lstm_cells():
    def f(m, x):
        h = c = torch.zeros(x.size(1), 6)
        for t in range(4):
            h, c = m.a(x[t], (h, c))
        return m.g(h, c)

    return Apply(f, a=nn.LSTMCell(5, 6), g=nn.GRUCell(6, 6)), (randn(4, 3, 5),)


@case
def conv_lstm():
    def f(m, x):
        h = c = torch.zeros(1, 4, 6, 6)
        for t in range(3):
            i, o, k, g = m.gates(torch.cat([x[:, t], h], 1)).chunk(4, 1)
            c = torch.sigmoid(k) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return h

    return Apply(f, gates=nn.Conv2d(6, 16, 3, padding=1)), (randn(1, 3, 2, 6, 6),)


@case
def ctc():
    def f(m, x):
        y = m.c(x).permute(0, 3, 1, 2).flatten(2)
        y, _ = m.r(y)
        p = F.log_softmax(m.o(y), -1)
        return p.transpose(0, 1), p.argmax(-1)

    return Apply(
        f,
        c=nn.Sequential(conv_bn(1, 4), nn.MaxPool2d((2, 1))),
        r=nn.LSTM(16, 6, bidirectional=True, batch_first=True),
        o=nn.Linear(12, 5),
    ), (
        randn(2, 1, 8, 10),
    )


@case
def seq2seq_attention():
    def f(m, ids, target):
        keys, h = m.encoder(m.embed(ids))
        out = []
        for t in range(3):
            y, h = m.decoder(m.embed(target[:, t : t + 1]), h)
            w = torch.softmax(torch.bmm(y, keys.transpose(1, 2)), -1)
            out.append(m.o(torch.cat([y, torch.bmm(w, keys)], -1)))
        return torch.cat(out, 1)

    return Apply(
        f,
        embed=nn.Embedding(11, 6),
        encoder=nn.GRU(6, 8, batch_first=True),
        decoder=nn.GRU(6, 8, batch_first=True),
        o=nn.Linear(16, 11),
    ), (torch.randint(0, 11, (2, 5)), torch.randint(0, 11, (2, 3)))


@case
def embedding_bag():
    def f(m, ids):
        return torch.cat([m.a(ids), m.b(ids)], 1)

    return Apply(f, a=nn.EmbeddingBag(9, 4, mode='sum'), b=nn.EmbeddingBag(9, 4, mode='mean')), (
        torch.randint(0, 9, (3, 5)),
    )


@case
def text_convolutions():
    def f(m, ids):
        x = m.e(ids).transpose(1, 2)
        return m.o(torch.cat([F.relu(c(x)).max(2)[0] for c in m.c], 1))

    return (
        Apply(
            f,
            e=nn.Embedding(20, 6, padding_idx=0),
            c=nn.ModuleList(nn.Conv1d(6, 4, k) for k in (2, 3, 4)),
            o=nn.Linear(12, 2),
        ),
        (torch.randint(0, 20, (3, 9)),),
        (torch.randint(0, 20, (1, 9)),),
    )
